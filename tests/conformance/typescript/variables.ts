import { Graph, makeTensor, Session, type Value } from '../../../main/client/index.ts';
import { build, type CaseCluster, type Cases, failure, until } from './harness.ts';

const kinds = { ref: false, resource: true } as const;

function pinned(g: Graph, name: string, value: Value, options: { resource?: boolean; place?: string } = {}) {
  const { resource = false, place = '/job:ps/task:0' } = options;
  return g.device(place, () => g.variable(name, value, { resource }));
}

async function sharedByName(cluster: CaseCluster): Promise<unknown> {
  const results: Record<string, unknown> = {};
  for (const [kind, resource] of Object.entries(kinds)) {
    const client = () =>
      build((g) => {
        const variable = pinned(g, `r39_${kind}`, 1, { resource });
        return { variable, add: variable.assignAdd(2) };
      });
    const first = client();
    const session = cluster.session(first.g, 'worker:0');
    await session.run(first.variable.initializer);
    await session.run(first.add);
    await session.close();
    const second = client();
    const other = cluster.session(second.g, 'worker:1');
    results[kind] = [await other.run(second.variable), await other.run(second.add)];
  }
  return results;
}

const changes = {
  shape: [new Float32Array(100), new Float32Array(200)],
  type: [makeTensor('float', [], new Float32Array([1])), makeTensor('double', [], new Float64Array([1]))],
} as const;

const refusals: Readonly<Record<string, string>> = {
  r40_ref_shape: 'Assign requires shapes of both tensors to match. lhs shape= [100] rhs shape= [200]',
  r40_ref_type: 'does not match declared output type double_ref',
  r40_resource_type: 'Trying to assign variable with wrong dtype. Expected float got double',
};

async function anotherShape(cluster: CaseCluster): Promise<unknown> {
  const results: Record<string, unknown> = {};
  for (const [kind, resource] of Object.entries(kinds)) {
    for (const [change, [before, after]] of Object.entries(changes)) {
      const name = `r40_${kind}_${change}`;
      const initialize = async (value: Value) => {
        const { g, variable } = build((graph) => ({ variable: pinned(graph, name, value, { resource }) }));
        const session = cluster.session(g);
        await session.run(variable.initializer);
        return session.run(variable);
      };
      await initialize(before);
      const refusal = refusals[name];
      results[name] = refusal ? await failure(() => initialize(after), refusal) : `(${(await initialize(after)).shape},)`;
    }
  }
  return results;
}

async function reset(cluster: CaseCluster): Promise<unknown> {
  const g = new Graph();
  const boxed = g.device('/job:ps/task:0', () =>
    g.op('VariableV2', [], { dtype: 'float', shape: [], container: 'boxA' }, { name: 'r41_a' }),
  );
  const setBoxed = g.op('Assign', [boxed.output(), 1]);
  const other = pinned(g, 'r41_b', 2);
  let session = cluster.session(g);
  const afterReset = async (containers: readonly string[]) => {
    const before = session;
    await Session.reset(cluster.target(), containers);
    const code = await failure(() => before.run(other), ' is not found');
    session = cluster.session(g);
    return code;
  };
  await session.run([setBoxed, other.initializer]);
  const codes = [await afterReset(['no such container'])];
  const kept = await session.run([boxed.output(), other]);
  codes.push(await afterReset(['boxA']));
  codes.push(await failure(() => session.run(boxed.output()), 'uninitialized'));
  const plainAfter = await session.run(other);
  await afterReset([]);
  codes.push(await failure(() => session.run(other), 'uninitialized'));
  return { kept, codes, 'plain after': plainAfter };
}

async function uninitialized(cluster: CaseCluster): Promise<unknown> {
  const says = {
    ref: ['Attempting to use uninitialized value r43_ref'],
    resource: ['Could not find variable r43_resource', 'uninitialized'],
  };
  const results: Record<string, unknown> = {};
  for (const kind of ['ref', 'resource'] as const) {
    const { g, variable, read, report, state } = build((graph) => {
      const made = pinned(graph, `r43_${kind}`, 1, { resource: kinds[kind] });
      const value = graph.identity(made.value());
      return { variable: made, read: value, report: graph.reportUninitializedVariables([made]), state: made.isInitialized() };
    });
    const session = cluster.session(g);
    const code = await failure(() => session.run(read), '/job:ps/replica:0/task:0', ...says[kind]);
    const before = [await session.run(state), await session.run(report)];
    await session.run(variable.initializer);
    results[kind] = [code, ...before, await session.run(state), await session.run(report)];
  }
  return results;
}

async function snapshots(cluster: CaseCluster): Promise<unknown> {
  const { g, variable, add } = build((graph) => {
    const made = pinned(graph, 'r46', [1, 2]);
    return { variable: made, add: made.assignAdd([1, 1]) };
  });
  const session = cluster.session(g);
  await session.run(variable.initializer);
  const first = await session.run(add);
  return { first, second: await session.run(add) };
}

async function wholeUpdates(cluster: CaseCluster): Promise<unknown> {
  const size = 1_000_000;
  const g = new Graph();
  const variable = g.device('/job:ps/task:0', () => g.variable('r46_whole', g.zeros([size]), { resource: true }));
  const [update, read] = g.device('/job:ps/task:0', () => [
    g.op('AssignAddVariableOp', [variable.handle, g.ones([size])], { dtype: 'float' }),
    variable.value(),
  ]);
  const [smallest, largest] = g.device('/job:worker/task:1', () => [g.reduceMin(read), g.reduceMax(read)]);
  const session = cluster.session(g);
  await session.run(variable.initializer);
  const torn: string[] = [];
  const repeatedly = async (times: number, step: () => Promise<void>) => {
    for (let i = 0; i < times; i++) await step();
  };
  await Promise.all([
    repeatedly(15, () => session.run(update).then(() => undefined)),
    repeatedly(15, async () => {
      const [low, high] = await session.run([smallest, largest]);
      if (low.data[0] !== high.data[0]) torn.push(`${low.data[0]} ${high.data[0]}`);
    }),
  ]);
  return { torn, final: await session.run(smallest) };
}

async function localVariables(cluster: CaseCluster): Promise<unknown> {
  const client = (task: number) =>
    build((g) => {
      const local = g.device(`/job:worker/task:${task}`, () => g.variable('r47', 2, { collections: ['local_variables'] }));
      pinned(g, 'r47_global', 1);
      return { local, global: g.globalVariablesInitializer(), add: local.assignAdd(1) };
    });
  const first = client(1);
  const session = cluster.session(first.g);
  await session.run(first.global);
  const before = await failure(() => session.run(first.local), 'uninitialized');
  await session.run(first.local.initializer);
  const value = await session.run(first.local);
  const changed = await session.run(first.add);
  const other = client(0);
  const second = cluster.session(other.g);
  await second.run(other.local.initializer);
  return { before, value, changed, independent: await second.run(other.local) };
}

async function waitForInitialization(cluster: CaseCluster): Promise<unknown> {
  const { g, report, init } = build((graph) => {
    pinned(graph, 'waited_a', 1);
    pinned(graph, 'waited_b', 1, { resource: true });
    return { report: graph.reportUninitializedVariables(), init: graph.globalVariablesInitializer() };
  });
  const waiting = cluster.session(g, 'worker:1');
  const before = await waiting.run(report);
  await cluster.session(g, 'worker:0').run(init);
  await until(async () => (await waiting.run(report)).data.length === 0, 5000);
  return { before, after: await waiting.run(report) };
}

export const variableCases: Cases = {
  'R39 clients share a variable by its name, and it outlives their sessions': sharedByName,
  'R40 a name used again with another shape or type': anotherShape,
  'R41 reset clears containers on every task and ends the sessions of that master': reset,
  'R43 reading before initialization': uninitialized,
  'R46 a fetched value is a snapshot': snapshots,
  'R46 a reader on another task never sees half of an update': wholeUpdates,
  'R47 local variables live on their own task and have their own initializer': localVariables,
  'waiting for initialization by another client': waitForInitialization,
};
