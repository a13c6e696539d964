import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../main/program-host/run-program.ts';
import { programs } from '../../main/programs/index.ts';
import { startCluster } from '../support/cluster.ts';
import { type ClusterKind, clusterKinds, enginesOf } from '../support/cluster-kinds.ts';
import { python, withTensorFlow } from '../support/python.ts';

const entry = fileURLToPath(new URL('../../dist/program-host/index.js', import.meta.url));

/** Those that run on tasks, and on such as have no cards. */
const onTasks = programs.filter(({ cluster, virtualGpus }) => Object.keys(cluster).length > 0 && virtualGpus === undefined);

/** The others are covered by the integration tests, on clusters that the programs start themselves. */
const mixedKinds = clusterKinds.filter((kind) => kind.startsWith('mixed'));

async function problemsOf(name: string, jobs: Readonly<Record<string, number>>, kind: ClusterKind): Promise<readonly string[]> {
  const cluster = await startCluster({ jobs, engine: enginesOf(kind, jobs) });
  try {
    return (await runProgram({ entry, source: { sample: name }, cluster: cluster.addresses })).problems;
  } finally {
    await cluster.stop();
  }
}

describe.skipIf(python === undefined).each(mixedKinds)(withTensorFlow('sample programs on %s'), (kind) => {
  it.each(onTasks)('$name comes to its right result', async ({ name, cluster }) => {
    expect(await problemsOf(name, cluster, kind)).toEqual([]);
  });
});
