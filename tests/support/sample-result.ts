import { fileURLToPath } from 'node:url';
import type { Outcome } from '../../main/client/index.ts';
import { LocalCluster, type LocalClusterOptions } from '../../main/cluster/local-cluster.ts';
import { type RunResult, runProgram } from '../../main/program-host/run-program.ts';
import { programs } from '../../main/programs/index.ts';

const entry = fileURLToPath(new URL('../../dist/program-host/index.js', import.meta.url));

type Tasks = Omit<LocalClusterOptions, 'jobs'>;

/** On a machine that is busy with other tests none takes longer; one that does hangs. */
const LIMIT_MS = 50_000;

/** What comes of a sample on tasks of its own. */
export async function resultOf(sample: string, local: Tasks = {}): Promise<RunResult> {
  return runProgram({ entry, source: { sample }, form: (wants) => LocalCluster.start({ ...wants, ...local }) });
}

/** What comes of it on a cluster that stands, where others may have run before. */
export async function resultOn({ spec }: LocalCluster, sample: string): Promise<RunResult> {
  return runProgram({ entry, source: { sample }, cluster: spec.toObject(), reset: true, signal: AbortSignal.timeout(LIMIT_MS) });
}

export async function outcomeOf(sample: string, local: Tasks = {}): Promise<Outcome | undefined> {
  return (await resultOf(sample, local)).outcomes.get('client');
}

/** Samples for any server, genuine ones included, which have no pretended cards. */
const forAnyServer = programs.filter(({ cluster, virtualGpus }) => Object.keys(cluster).length > 0 && virtualGpus === undefined);

/** One of each kind: in-graph and between-graph, with and without a ps, pinned and not, traced. The long tier runs the others. */
const OF_EACH_KIND = [
  'ps-workers',
  'in-graph-regression',
  'shared-variable',
  'separate-graphs',
  'location-trace',
  'peer-synchronisation',
  'mixed-replication',
];

export const genuineSamples = forAnyServer.filter(({ name }) => OF_EACH_KIND.includes(name));
export const otherGenuineSamples = forAnyServer.filter(({ name }) => !OF_EACH_KIND.includes(name));
