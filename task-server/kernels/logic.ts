import { allocate, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { type BinaryOp, binaryKernel } from './elementwise.ts';
import { bigLoop, numberLoop } from './elementwise-loops.ts';
import { INTEGERS, numericTensor, numericType } from './numeric-types.ts';

const logicalNot: PureKernelSpec = {
  kind: 'pure',
  op: 'LogicalNot',
  compute(inputs) {
    const [x] = inputs as readonly [Tensor<'bool'>];
    const data = allocate('bool', x.data.length);
    for (let i = 0; i < data.length; i++) data[i] = x.data[i] === 0 ? 1 : 0;
    return [{ dtype: 'bool', shape: x.shape, data }];
  },
};

const logical: readonly BinaryOp[] = [
  { op: 'LogicalAnd', types: ['bool'], int: numberLoop((x, y) => x & y) },
  { op: 'LogicalOr', types: ['bool'], int: numberLoop((x, y) => x | y) },
];

/** These ops have no attr that names their one type. */
function untyped(op: BinaryOp): PureKernelSpec {
  const { types: _, ...spec } = binaryKernel(op);
  return spec;
}

const bitwise: readonly BinaryOp[] = [
  { op: 'BitwiseAnd', types: INTEGERS, int: numberLoop((x, y) => x & y), bigint: bigLoop((x, y) => x & y) },
  { op: 'BitwiseOr', types: INTEGERS, int: numberLoop((x, y) => x | y), bigint: bigLoop((x, y) => x | y) },
  { op: 'BitwiseXor', types: INTEGERS, int: numberLoop((x, y) => x ^ y), bigint: bigLoop((x, y) => x ^ y) },
];

const invert: PureKernelSpec = {
  kind: 'pure',
  op: 'Invert',
  types: { T: INTEGERS },
  compute(inputs) {
    const [x] = inputs as readonly [Tensor];
    const { widen, create } = numericType(x.dtype);
    const values = widen(x);
    const out = create(values.length);
    values.forEach((value: number | bigint, index: number) => {
      out[index] = ~value;
    });
    return [numericTensor(x.dtype, x.shape, out)];
  },
};

export const logicKernels: readonly PureKernelSpec[] = [...logical.map(untyped), logicalNot, ...bitwise.map(binaryKernel), invert];
