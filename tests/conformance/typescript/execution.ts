import { Graph, makeTensor, type Tensor } from '../../../main/client/index.ts';
import { build, type CaseCluster, type Cases, ensure, failure } from './harness.ts';

async function halves(cluster: CaseCluster): Promise<unknown> {
  const own = await cluster.another({ local: 2 });
  const { g, fed, mean } = build((graph) => {
    const numbers = graph.placeholder('float', [100]);
    const first = graph.device('/job:local/task:1', () => graph.reduceMean(graph.slice(numbers, [0], [50])));
    return {
      fed: numbers,
      mean: graph.device('/job:local/task:0', () => graph.div(graph.add(first, graph.reduceMean(graph.slice(numbers, [50], [-1]))), 2)),
    };
  });
  const numbers = Float32Array.from({ length: 100 }, (_, i) => i / 99);
  const value = await own.session(g, 'local:0').run(mean, { feeds: [[fed, numbers]] });
  await own.stop();
  return { mean: value };
}

async function controlEdges(cluster: CaseCluster): Promise<unknown> {
  const g = new Graph();
  const [variable, assign] = g.device('/job:ps/task:0', () => {
    const made = g.variable('r33', 0, { dtype: 'int32', resource: true });
    return [made, made.assign(5)] as const;
  });
  const between = g.device('/job:worker/task:1', () => g.controlDependencies([assign], () => g.noOp()));
  const read = g.device('/job:ps/task:0', () => g.controlDependencies([between], () => variable.value()));
  const session = cluster.session(g);
  const values: number[] = [];
  for (let i = 0; i < 100; i++) {
    await session.run(variable.initializer);
    values.push(Number((await session.run(read)).data[0]));
  }
  return { values };
}

async function feedsAndFetches(cluster: CaseCluster): Promise<unknown> {
  const g = new Graph();
  const variable = g.device('/job:ps/task:0', () => g.variable('r36', 10));
  const doubled = g.mul(variable, 2);
  const placeholder = g.placeholder('float', [2, 3], { name: 'ph' });
  const total = g.reduceSum(placeholder);
  const bad = g.op('CheckNumerics', [g.constant(Number.POSITIVE_INFINITY)], { message: 'never evaluated' }).output();
  const afterBad = g.add(bad, 1);
  const ones = makeTensor('float', [2, 3], new Float32Array(6).fill(1));
  const session = cluster.session(g);
  await session.run(variable.initializer);
  return {
    twice: await session.run([doubled, doubled]),
    'fed and fetched': await session.run([placeholder, total], { feeds: [[placeholder, ones]] }),
    'fed in the middle': await session.run(afterBad, { feeds: [[bad, 1]] }),
    'fed variable': await session.run(doubled, { feeds: [[variable, 3]] }),
    'variable afterwards': await session.run(variable),
    'nothing fed': await failure(
      () => session.run(total),
      "You must feed a value for placeholder tensor 'ph' with dtype float and shape [2,3]",
    ),
  };
}

const text = (...parts: readonly (string | readonly number[])[]): Uint8Array[] =>
  parts.map((part) => new Uint8Array(typeof part === 'string' ? Buffer.from(part) : part));

/** Keyed by numpy's name of the type, where the name is that of a type. */
const samples: Readonly<Record<string, Tensor>> = {
  float32: makeTensor('float', [1, 6], new Float32Array([-0, 1.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e-45])),
  float64: makeTensor('double', [5], new Float64Array([-0, 0.1, Number.POSITIVE_INFINITY, Number.NaN, 5e-324])),
  int32: makeTensor('int32', [4], new Int32Array([-(2 ** 31), -1, 0, 2 ** 31 - 1])),
  int64: makeTensor('int64', [3, 1], new BigInt64Array([-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n + 1n])),
  uint8: makeTensor('uint8', [3], new Uint8Array([0, 127, 255])),
  bool: makeTensor('bool', [2], new Uint8Array([1, 0])),
  string: makeTensor('string', [3], text('', [97, 98, 0, 255], 'ü')),
  empty: makeTensor('float', [0, 3], new Float32Array(0)),
  scalar: makeTensor('int64', [], new BigInt64Array([7n])),
  half: makeTensor('half', [4], new Uint16Array([0x8000, 0x3e00, 0x7c00, 0x0001])),
  complex64: makeTensor('complex64', [2], new Float32Array([1, -2, 0, 0])),
};

async function types(cluster: CaseCluster): Promise<unknown> {
  const results: Record<string, unknown> = {};
  const g = new Graph();
  const session = cluster.session(g);
  for (const [name, sample] of Object.entries(samples)) {
    const fed = g.placeholder(sample.dtype, sample.shape);
    const there = g.device('/job:worker/task:1', () => g.identity(fed));
    const back = g.device('/job:ps/task:0', () => g.identity(there));
    results[name] = await session.run(back, { feeds: [[fed, sample]] });
  }
  return results;
}

async function extend(cluster: CaseCluster): Promise<unknown> {
  const g = new Graph();
  const session = cluster.session(g);
  let one = g.constant(1, { name: 'one' });
  const values = [await session.run(one)];
  for (let i = 0; i < 3; i++) {
    one = g.device('/job:worker/task:1', () => g.add(one, 1));
    values.push(await session.run(one));
  }
  return { values };
}

async function kernelErrors(cluster: CaseCluster): Promise<unknown> {
  const g = new Graph();
  const on = <T>(body: () => T): T => g.device('/job:worker/task:1', body);
  const integer = (value: number | number[]) => g.constant(value, { dtype: 'int32' });
  const left = on(() => g.placeholder('float', [-1, -1], { name: 'left' }));
  const product = on(() => g.matmul(left, g.ones([2, 2]), { name: 'product' }));
  const picked = on(() => g.gather(integer([1, 2, 3]), g.placeholderWithDefault(integer(7), []), 0, { name: 'picked' }));
  const divided = on(() => g.op('FloorDiv', [integer(1), g.placeholderWithDefault(integer(0), [])], {}, { name: 'divided' }).output());
  const session = cluster.session(g);
  const ones = (rows: number, columns: number) => makeTensor('float', [rows, columns], new Float32Array(rows * columns).fill(1));
  const task = '/job:worker/replica:0/task:1';
  const codes = {
    shapes: await failure(() => session.run(product, { feeds: [[left, ones(1, 3)]] }), '{{node product}}', task),
    indices: await failure(() => session.run(picked), '{{node picked}}', task),
    division: await failure(() => session.run(divided), '{{node divided}}'),
  };
  return { codes, afterwards: await session.run(product, { feeds: [[left, ones(1, 2)]] }) };
}

async function stepTimeout(cluster: CaseCluster): Promise<unknown> {
  const g = new Graph();
  const queue = g.device('/job:ps/task:0', () => g.fifoQueue(2, 'int32', { shapes: [[]], sharedName: 'timeout' }));
  const [[element], enqueue, size] = g.device('/job:ps/task:0', () => [queue.dequeue(), queue.enqueue(4), queue.size()] as const);
  ensure(element !== undefined, 'a queue of one component gives one tensor');
  const dequeue = element ?? size;
  const session = cluster.session(g);
  const code = await failure(() => session.run(dequeue, { timeoutMs: 500 }));
  await session.run(enqueue);
  return { code, left: await session.run(size), taken: await session.run(dequeue) };
}

export const executionCases: Cases = {
  'R30 fed numbers averaged in halves on two tasks of a job named local': halves,
  'R33 a control edge across tasks orders an assignment before a read': controlEdges,
  'R36 feeds and fetches of every kind': feedsAndFetches,
  'every type of tensor passes through feeds, tasks and fetches unchanged': types,
  'a graph that grows between steps': extend,
  'the error of a kernel names node and task, and the session goes on': kernelErrors,
  'a step that takes too long ends by its timeout, and the session goes on': stepTimeout,
};
