import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { INDICES, indices, NUMBERS, numericType } from './numeric-types.ts';
import { aroundAxis, type Pass } from './reduce-axes.ts';

type Order = (candidate: number | bigint, best: number | bigint) => boolean;

/** The first of the best elements; NaN is never better, and so only found in first place by default. */
function bestIndices(values: ArrayLike<number | bigint>, { outer, count, inner }: Pass, better: Order): Float64Array {
  const found = new Float64Array(outer * inner);
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      const from = o * count * inner + i;
      let best = 0;
      for (let c = 1; c < count; c++) {
        const current = values[from + best * inner] as number | bigint;
        const candidate = values[from + c * inner] as number | bigint;
        if (better(candidate, current) || (Number.isNaN(current) && !Number.isNaN(candidate))) best = c;
      }
      found[o * inner + i] = best;
    }
  }
  return found;
}

function argAxis(shape: readonly number[], dimension: Tensor): number {
  const rank = shape.length;
  if (dimension.shape.length > 0)
    throw invalidArgument(`dim must be a scalar, but received tensor of shape: ${shapeText(dimension.shape)}`);
  const [given = 0] = indices(dimension);
  if (given < -rank || given >= rank) throw invalidArgument(`Expected dimension in the range [${-rank || 0}, ${rank}), but got ${given}`);
  const axis = given < 0 ? given + rank : given;
  if (shape[axis] === 0) throw invalidArgument(`Reduction axis ${axis} is empty in shape ${shapeText(shape)}`);
  return axis;
}

function argKernel(op: string, outputs: readonly DType[], better: Order): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    types: { T: [...NUMBERS, 'bool'], Tidx: INDICES, output_type: outputs },
    compute(inputs, attrs) {
      const [x, dimension] = inputs as readonly [Tensor, Tensor];
      const axis = argAxis(x.shape, dimension);
      const values = numericType(x.dtype).widen(x) as ArrayLike<number | bigint>;
      const found = bestIndices(values, aroundAxis(x.shape, axis), better);
      const dtype = attrs.type('output_type') as 'int16' | 'uint16' | 'int32' | 'int64';
      const data = allocate(dtype, found.length);
      if (data instanceof BigInt64Array) for (let i = 0; i < found.length; i++) data[i] = BigInt(found[i] as number);
      else data.set(found);
      return [{ dtype, shape: x.shape.filter((_, index) => index !== axis), data }];
    },
  };
}

export const argKernels: readonly PureKernelSpec[] = [
  argKernel('ArgMax', ['int16', 'uint16', ...INDICES], (candidate, best) => candidate > best),
  argKernel('ArgMin', INDICES, (candidate, best) => candidate < best),
];
