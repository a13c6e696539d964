import { fromBinary } from '@bufbuild/protobuf';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import { type ClusterInput, Graph, parseDeviceName, Session } from '../client/index.ts';
import type { LocalClusterOptions } from '../cluster/local-cluster.ts';
import { bundlePath } from '../program-host/bundles.ts';
import type { ProgramSource } from '../program-host/protocol.ts';
import { type RunEvent, type RunResult, runProgram } from '../program-host/run-program.ts';
import { readCluster, sessionOptions, type TargetFlags } from './target.ts';
import type { Terminal } from './terminal.ts';

/** How the tasks of a local cluster are started. */
export type LocalFlags = Pick<LocalClusterOptions, 'engine' | 'placement'>;

export interface ProgramFlags extends TargetFlags, LocalFlags {
  readonly reset?: true;
}

/** A trace that a program handed over. */
export interface NamedTrace {
  readonly client: string;
  readonly name: string;
  readonly metadata: RunMetadata;
}

export interface ProgramRun extends RunResult {
  readonly traces: readonly NamedTrace[];
}

/** A sample's name, or the path of a module. */
export function programSource(text: string): ProgramSource {
  return /\.[cm]?[jt]s$/.test(text) ? { module: text } : { sample: text };
}

/** Runs a program and shows what it says. Rejects when it fails or when its result is not the right one. */
export async function runProgramHere(
  source: ProgramSource,
  flags: ProgramFlags,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ProgramRun> {
  const traces: NamedTrace[] = [];
  const cluster = await clusterFor(flags, terminal, signal);
  const result = await runProgram({
    entry: bundlePath('program-host/index.js'),
    source,
    local: { ...(flags.engine && { engine: flags.engine }), ...(flags.placement && { placement: flags.placement }) },
    ...(cluster && { cluster, reset: flags.reset === true }),
    signal,
    onEvent: (event) => {
      if (event.kind === 'trace') traces.push({ ...event, metadata: fromBinary(RunMetadataSchema, event.metadata) });
      else showEvent(event, terminal);
    },
  });
  if (result.problems.length > 0) {
    const hint = cluster && !flags.reset ? '. Variables of an earlier run may still be on this cluster: --reset clears them' : '';
    throw failedPrecondition(`the result is not right: ${result.problems.join('; ')}${hint}`);
  }
  return { ...result, traces };
}

function showEvent(event: Exclude<RunEvent, { kind: 'trace' }>, terminal: Terminal): void {
  if (event.kind === 'log') terminal.log(`${clientLabel(event.client)}${event.text}`);
  else if (event.kind === 'sample') terminal.glimpse(`${clientLabel(event.client)}${event.series} = ${event.value} at step ${event.step}`);
  else terminal.progress(`${clientLabel(event.client)}${event.text}`);
}

/** `worker 0: `, and nothing for a program's only client. */
function clientLabel(client: string): string {
  const { job, task } = parseDeviceName(client) ?? {};
  return job === undefined ? '' : `${job} ${task}: `;
}

/** The cluster that the flags name; with nothing but a target, all its tasks as seen through that one master. */
async function clusterFor(flags: ProgramFlags, terminal: Terminal, signal: AbortSignal): Promise<ClusterInput | undefined> {
  if (flags.cluster !== undefined) return readCluster(flags.cluster);
  if (flags.target === undefined) return undefined;
  const address = flags.target.replace(/^grpc:\/\//, '');
  const session = new Session(flags.target, { graph: new Graph(), ...sessionOptions(flags, terminal) });
  try {
    const jobs: Record<string, Record<number, string>> = {};
    for (const { name } of await session.listDevices({ signal })) {
      const { job, task } = parseDeviceName(name) ?? {};
      if (job !== undefined && task !== undefined) jobs[job] = { ...jobs[job], [task]: address };
    }
    return jobs;
  } finally {
    await session.close();
  }
}
