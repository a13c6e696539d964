import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { broadcastShape, sameShape } from './broadcast.ts';
import { INDICES, indices } from './numeric-types.ts';

/** Two shapes given as vectors. */
function shapesIn(inputs: readonly Tensor[]): readonly [number[], number[]] {
  inputs.forEach(({ shape }, index) => {
    if (shape.length !== 1) throw invalidArgument(`In[${index}] must be a vector.${shapeText(shape)}`);
  });
  const [a, b] = inputs as readonly [Tensor, Tensor];
  return [indices(a), indices(b)];
}

function vector(dtype: Tensor['dtype'], values: readonly number[]): Tensor {
  const data = allocate(dtype as 'int32' | 'int64', values.length);
  values.forEach((value, index) => {
    data[index] = (data instanceof BigInt64Array ? BigInt(value) : value) as never;
  });
  return { dtype, shape: [values.length], data };
}

/** Dimensions along which a gradient of the broadcast shape is summed to become one of `shape`. */
function summedAxes(shape: readonly number[], rank: number): number[] {
  return Array.from({ length: rank }, (_, axis) => axis).filter((axis) => (shape[axis - rank + shape.length] ?? 1) === 1);
}

const broadcastGradientArgs: PureKernelSpec = {
  kind: 'pure',
  op: 'BroadcastGradientArgs',
  types: { T: INDICES },
  compute(inputs) {
    const [a, b] = shapesIn(inputs);
    const { length: rank } = broadcastShape(a, b);
    const dtype = (inputs[0] as Tensor).dtype;
    if (sameShape(a, b)) return [vector(dtype, []), vector(dtype, [])];
    return [vector(dtype, summedAxes(a, rank)), vector(dtype, summedAxes(b, rank))];
  },
};

const broadcastArgs: PureKernelSpec = {
  kind: 'pure',
  op: 'BroadcastArgs',
  types: { T: INDICES },
  compute(inputs) {
    const [a, b] = shapesIn(inputs);
    return [vector((inputs[0] as Tensor).dtype, broadcastShape(a, b))];
  },
};

export const broadcastArgsKernels: readonly PureKernelSpec[] = [broadcastGradientArgs, broadcastArgs];
