import { type RunMetadata, TraceLevel } from '../../../main/client/index.ts';
import { build, type CaseCluster, type Cases, ensure } from './harness.ts';
import { deviceNodes, unoptimized } from './placement.ts';

function threeTasks() {
  return build((g) => {
    const product = g.device('/job:worker/task:0', () => g.matmul(g.ones([2, 2]), g.ones([2, 2]), { name: 'mm0' }));
    const add = g.device('/job:worker/task:1', () => g.add(product, g.constant(1, { name: 'add1/y' }), { name: 'add1' }));
    const variable = g.device('/job:ps/task:0', () => g.variable('tv', g.zeros([2, 2])));
    return { variable, update: g.device('/job:ps/task:0', () => variable.assignAdd(add, { name: 'upd' })) };
  });
}

async function fullTrace(cluster: CaseCluster): Promise<unknown> {
  const { g, variable, update } = threeTasks();
  const session = cluster.session(g, 'worker:0', unoptimized);
  await session.run(variable.initializer);
  const nodes = await deviceNodes(session, update);
  const { metadata } = await session.runWithMetadata(update, { options: { traceLevel: TraceLevel.FULL_TRACE } });
  const stats = metadata.stepStats?.devStats.flatMap(({ device, nodeStats }) => nodeStats.map((node) => ({ device, node }))) ?? [];
  const transfers: Record<string, number> = {};
  for (const { device, node } of stats) {
    ensure(Number(node.allStartMicros) > 1e15, 'times are microseconds since 1970');
    ensure(node.opStartRelMicros <= node.opEndRelMicros && node.opEndRelMicros <= node.allEndRelMicros, 'times are in order');
    if (node.nodeName !== 'RecvTensor') continue;
    ensure(/^\[[\d.]+.?B\] \[.*\] .* from \/job:.* to /.test(node.timelineLabel), node.timelineLabel);
    ensure(node.timelineLabel.endsWith(` to ${device}`), node.timelineLabel);
    transfers[device] = (transfers[device] ?? 0) + 1;
  }
  // A genuine master switches the log of transfers on without waiting for it, so some may be missing.
  const complete = Object.keys(nodes).every((device) => transfers[device] === 1);
  ensure(cluster.kind !== 'bundled' || complete, JSON.stringify(transfers));
  const named = (...names: string[]) => stats.filter(({ node }) => names.includes(node.nodeName));
  return {
    nodes,
    sources: [...new Set(named('_SOURCE').map(({ device }) => device))].sort(),
    labels: named('mm0', 'upd', 'tv')
      .map(({ node }) => node.timelineLabel.replace('_Mkl', ''))
      .sort(),
  };
}

async function traceLevels(cluster: CaseCluster): Promise<unknown> {
  const { g, variable, update } = threeTasks();
  const session = cluster.session(g, 'worker:0', unoptimized);
  await session.run(variable.initializer);
  const filled: boolean[] = [];
  for (const traceLevel of [0, 1, 2, 3]) {
    const { metadata } = await session.runWithMetadata(update, { options: { traceLevel } });
    filled.push((metadata.stepStats?.devStats.length ?? 0) > 0);
  }
  const { metadata } = await session.runWithMetadata(update, { options: { outputPartitionGraphs: true } });
  return { filled, graphs: metadata.partitionGraphs.length, ops: metadata.partitionGraphs.map(transferOps) };
}

function transferOps({ node }: RunMetadata['partitionGraphs'][number]): string[] {
  return [...new Set(node.map(({ op }) => op).filter((op) => op === '_Send' || op === '_Recv'))].sort();
}

export const traceCases: Cases = {
  'T01 a full trace lists every node on its device and every transfer at its receiver': fullTrace,
  'T02 only a full trace fills the statistics; partition graphs on request': traceLevels,
};
