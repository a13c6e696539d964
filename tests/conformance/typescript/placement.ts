import { buildTimeline, type Fetchable, Graph, type Session, TraceLevel } from '../../../main/client/index.ts';
import { build, type CaseCluster, type Cases, ensure, failure } from './harness.ts';

const hard = { config: { allowSoftPlacement: false } };
const soft = { config: { allowSoftPlacement: true } };

/** Nodes keep their names and are all there. */
export const unoptimized = {
  config: { graphOptions: { rewriteOptions: { disableMetaOptimizer: true }, optimizerOptions: { optLevel: -1 } } },
};

/** Device → names of the nodes that ran there, transfers and control plumbing left out. */
export async function deviceNodes(session: Session, fetches: Fetchable | readonly Fetchable[]): Promise<Record<string, string[]>> {
  const { metadata } = await session.runWithMetadata(fetches, { options: { traceLevel: TraceLevel.FULL_TRACE } });
  const timeline = metadata.stepStats ? buildTimeline(metadata.stepStats) : { devices: [] };
  const ran: Record<string, string[]> = {};
  for (const { device, entries } of timeline.devices) {
    const names = new Set(entries.filter((entry) => !entry.transfer).map(({ name }) => name));
    const own = [...names].filter((name) => name !== '_SOURCE' && !name.includes('_S') && !name.includes('ctrl')).sort();
    if (own.length > 0) ran[device] = own;
  }
  return ran;
}

async function unknownDevices(cluster: CaseCluster): Promise<unknown> {
  const codes: Record<string, unknown> = {};
  for (const device of ['/job:worker/task:7', '/job:nobody', '/job:localhost', '/job:worker/task:0/device:CPU:3']) {
    for (const [word, options] of Object.entries({ hard, soft })) {
      const { g, node } = build((graph) => ({ node: graph.device(device, () => graph.identity(graph.constant(1), { name: 'pinned' })) }));
      const session = cluster.session(g, 'worker:0', options);
      if (word === 'soft' && device.endsWith('CPU:3')) {
        codes[`${device} soft`] = await session.run(node);
        continue;
      }
      codes[`${device} ${word}`] = await failure(
        () => session.run(node),
        'Cannot assign a device for operation ',
        `was explicitly assigned to ${device}`,
        'but available devices are [ /job:ps/replica:0/task:0/device:CPU:0, /job:ps/replica:0/task:1/device:CPU:0, ',
        'Make sure the device specification refers to a valid device',
      );
    }
  }
  const { g, node } = build((graph) => ({
    node: graph.device('/job:worker/replica:0/task:1/cpu:0', () => graph.add(graph.constant(5), 1)),
  }));
  codes['legacy name'] = await cluster.session(g, 'worker:0', hard).run(node);
  return codes;
}

async function noGpu(cluster: CaseCluster): Promise<unknown> {
  const { g, doubled } = build((graph) => ({
    doubled: graph.device('/job:worker/task:0/gpu:0', () => graph.mul(graph.constant([1, 2]), 2)),
  }));
  const refused = cluster.session(g, 'worker:0', hard);
  const code = await failure(() => refused.run(doubled), 'Cannot assign a device for operation', '/job:worker/task:0/device:GPU:0');
  return { hard: code, soft: await cluster.session(g, 'worker:0', soft).run(doubled) };
}

async function referenceEdges(cluster: CaseCluster): Promise<unknown> {
  const results: Record<string, unknown> = {};
  for (const kind of ['ref', 'resource']) {
    const g = new Graph();
    const variable = g.device('/job:ps/task:1', () => g.variable(`r25_${kind}`, [1, 2], { resource: kind === 'resource' }));
    const add = g.device('/job:worker/task:0', () => variable.assignAdd([1, 1], { name: 'add' }));
    const scatter = g.device('/job:worker/task:1', () => scatterAdd(g, variable, kind === 'resource'));
    const beside = g.colocateWith(variable, () => g.identity(g.constant(3), { name: 'beside' }));
    const session = cluster.session(g, 'worker:0', unoptimized);
    await session.run(variable.initializer);
    const value = await session.run(scatter);
    const ran = Object.entries(await deviceNodes(session, [kind === 'ref' ? add.node : add, beside]));
    const on = (name: string) => ran.filter(([, names]) => names.includes(name)).map(([device]) => device);
    results[kind] = { scatter: value, 'update on': on('add'), 'beside on': on('beside') };
  }
  return results;
}

function scatterAdd(g: Graph, variable: ReturnType<Graph['variable']>, resource: boolean) {
  const indices = g.constant([0], { dtype: 'int32' });
  if (!resource) return g.op('ScatterAdd', [variable.handle, indices, [5]], {}, { name: 'scatter' }).output();
  const scatter = g.op('ResourceScatterAdd', [variable.handle, indices, g.constant([5])], { dtype: 'float' }, { name: 'scatter' });
  return g.controlDependencies([scatter], () => variable.value());
}

async function conflictingColocation(cluster: CaseCluster): Promise<unknown> {
  const { g, there } = build((graph) => {
    const here = graph.device('/job:ps/task:0', () => graph.constant(1, { name: 'here' }));
    return {
      there: graph.colocateWith(here, () => graph.op('Identity', [here], {}, { name: 'there', device: '/job:worker/task:1' }).output()),
    };
  });
  const session = cluster.session(g, 'worker:0', hard);
  const says = ['Cannot colocate nodes', 'here', 'there', 'Cannot merge devices with incompatible'];
  return { code: await failure(() => session.run(there), ...says) };
}

async function pythonFunction(cluster: CaseCluster): Promise<unknown> {
  const g = new Graph();
  const variable = g.device('/job:ps/task:0', () => g.variable('r27', 0));
  const assign = variable.assign(1);
  const called = g.device('/job:worker/task:1', () =>
    g.op('PyFunc', [[]], { token: 'none', Tin: [], Tout: ['double'] }, { name: 'called' }),
  );
  const other = g.device('/job:worker/task:1', () => g.add(g.constant(2), 1));
  const session = cluster.session(g);
  await session.run(variable.initializer);
  const says = ["No registered 'PyFunc' OpKernel", 'called', '/job:worker/replica:0/task:1'];
  const code = await failure(() => session.run([assign, called.output()]), ...says);
  return { code, assigned: await session.run(variable), others: await session.run(other) };
}

async function matrices(cluster: CaseCluster): Promise<unknown> {
  const g = new Graph();
  const [x, y] = g.device('/job:ps/task:0', () => [g.variable('r29_x', g.ones([2, 2])), g.variable('r29_y', g.ones([2, 2]))]);
  const z = g.device('/job:worker/task:0', () => g.add(g.matmul(x, y), x));
  const result = g.device('/job:worker/task:1', () => g.add(g.matmul(z, x), x));
  const session = cluster.session(g);
  await session.run(g.globalVariablesInitializer());
  const value = await session.run(result);
  ensure(String(value.data) === '7,7,7,7', String(value.data));
  return { value };
}

export const placementCases: Cases = {
  'R22 pinned to a device that does not exist': unknownDevices,
  'R23 a GPU that is not there: an error, or the CPU of the same task under soft placement': noGpu,
  'R25 updates run where their variable is, whatever device they ask for': referenceEdges,
  'R25 colocation that contradicts a device': conflictingColocation,
  'R27 a Python function on a task without Python': pythonFunction,
  'R29 two ones matrices on the ps, one product on each worker': matrices,
};
