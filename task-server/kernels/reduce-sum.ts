import { sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { requireSameShape } from './broadcast.ts';
import { add, addBig, type Loop } from './elementwise-loops.ts';
import { FLOATS, type FloatArray, NUMBERS, numericTensor, numericType, type WorkArray } from './numeric-types.ts';

/** Half the sum of the squares. */
const l2Loss: PureKernelSpec = {
  kind: 'pure',
  op: 'L2Loss',
  types: { T: FLOATS },
  compute(inputs) {
    const [x] = inputs as readonly [Tensor];
    const { widen, create } = numericType(x.dtype);
    const values = widen(x) as FloatArray;
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += (values[i] as number) ** 2;
    const out = create(1);
    out[0] = sum / 2;
    return [numericTensor(x.dtype, [], out)];
  },
};

function sumKernel(op: string): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    types: { T: NUMBERS },
    compute(inputs, attrs) {
      const [first] = inputs as readonly [Tensor];
      requireSameShape(
        attrs.node,
        op,
        inputs.map((input) => input.shape),
      );
      if (inputs.length === 1) return [first];
      return [sumOf(inputs)];
    },
  };
}

/** Sums in the order given, rounding after each as TensorFlow does. */
function sumOf(inputs: readonly Tensor[]): Tensor {
  const [{ dtype, shape }] = inputs as readonly [Tensor];
  const { widen, create, domain } = numericType(dtype);
  const count = sizeOf(shape);
  const loop = (domain === 'bigint' ? addBig : add) as Loop<WorkArray>;
  const out = create(count);
  const span = { a: 0, aStep: 1, b: 0, bStep: 1, out: 0, count } as const;
  inputs.forEach((input, index) => {
    if (index === 0) out.set(widen(input) as never);
    else loop(out, widen(input), out, span);
  });
  return numericTensor(dtype, shape, out);
}

export const sumKernels: readonly PureKernelSpec[] = [l2Loss, sumKernel('AddN'), sumKernel('AccumulateNV2')];
