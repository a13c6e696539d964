import { Graph, type Node, type Output } from '../../../main/client/index.ts';

/** A graph with a bit of everything, each part of it on one of two devices. */
export interface Zoo {
  readonly graph: Graph;
  /** A [2,3] matrix that may be fed. */
  readonly x: Output;
  readonly fetches: readonly Output[];
  readonly targets: readonly Node[];
}

export function makeZoo([here, there]: readonly [string, string]): Zoo {
  const g = new Graph();
  const x = g.device(here, () =>
    g.placeholderWithDefault(
      [
        [1, -2, 3],
        [4, 5, -6],
      ],
      [2, 3],
      { name: 'x' },
    ),
  );
  const arrays = g.device(here, () => [
    ...arrayOps(g, x),
    ...g.split(x, 3, 1),
    g.cast(g.greater(x, 1), 'int64'),
    g.cast(g.randomUniform([2, 2]), 'int32'),
  ]);
  const numbers = g.device(there, () => [
    g.softmax(g.matmul(x, x, { transposeB: true })),
    g.reduceSum(g.square(x), [0], { keepDims: true }),
    g.cumsum(x, 1),
    g.addN([x, g.mul(x, 2), g.sub(x, 1)]),
    g.op('TopKV2', [x, 2]).output(1),
    g.cond(
      g.greater(g.reduceMax(x), 0),
      () => g.neg(x),
      () => g.abs(x),
    ),
    g.op('StringJoin', [[g.op('AsString', [x]).output(), 'b']], { separator: '-' }).output(),
  ]);
  const { fetches, targets } = g.device(there, () => stateOps(g, x));
  return { graph: g, x, fetches: [...arrays, ...numbers, ...fetches], targets };
}

function arrayOps(g: Graph, x: Output): Output[] {
  return [
    g.transpose(g.reshape(x, [3, 2]), [1, 0]),
    g.concat([x, x], 0),
    g.gather(x, [1, 0, 1], 1),
    g.stridedSlice(x, [0, 0], [2, 3], { strides: [1, 2] }),
    g.tile(x, [2, 1]),
    g.pad(x, [
      [1, 0],
      [0, 1],
    ]),
    g.op('OneHot', [new Int32Array([0, 2]), 4, 1, 0]).output(),
    g
      .op(
        'Range',
        [new Int32Array([0]), new Int32Array([9]), new Int32Array([2])].map((value) => g.reshape(g.constant(value), [])),
      )
      .output(),
    g.fill([2, 2], 7),
    g.where(g.greater(x, 0), x, g.zeros([2, 3])),
  ];
}

function stateOps(g: Graph, x: Output): { fetches: Output[]; targets: Node[] } {
  const queue = g.fifoQueue(4, 'float', { shapes: [[]], sharedName: 'zoo' });
  const old = g.variable('zoo_reference', [1, 2]);
  const modern = g.variable('zoo_resource', [[1, 2]], { resource: true });
  return {
    fetches: [old.assignAdd([1, 1]), modern.value(), queue.size(), ...queue.dequeue()],
    targets: [g.globalVariablesInitializer(), queue.enqueue(g.reduceSum(x)), modern.assign([[3, 4]]).node],
  };
}
