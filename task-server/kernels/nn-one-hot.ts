import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { COMPLEX, indices, NUMBERS } from './numeric-types.ts';

interface Choice {
  readonly on: Tensor;
  readonly off: Tensor;
}

const oneHot: PureKernelSpec = {
  kind: 'pure',
  op: 'OneHot',
  types: { T: [...NUMBERS, ...COMPLEX, 'bool', 'string'], TI: ['uint8', 'int8', 'int32', 'int64'] },
  cost: ([places, depth]) => sizeOf((places as Tensor).shape) * Math.max(0, indices(depth as Tensor)[0] ?? 0),
  compute(inputs, attrs) {
    const [places, depthTensor, on, off] = inputs as readonly [Tensor, Tensor, Tensor, Tensor];
    const axis = oneHotAxis(places.shape.length, attrs.int('axis'));
    const depth = requireDepth(depthTensor, { on, off });
    const shape = [...places.shape.slice(0, axis), depth, ...places.shape.slice(axis)];
    const out = filled(off, sizeOf(shape));
    const inner = sizeOf(places.shape.slice(axis));
    indices(places).forEach((place, index) => {
      if (place < 0 || place >= depth) return;
      const outer = Math.floor(index / inner);
      setElement(out, (outer * depth + place) * inner + (index % inner), on);
    });
    return [{ dtype: on.dtype, shape, data: out }];
  },
};

function oneHotAxis(rank: number, axis: number): number {
  if (axis === -1) return rank;
  if (axis < 0 || axis > rank) throw invalidArgument(`Expected axis to be -1 or between [0, ${rank + 1}).  But received: ${axis}`);
  return axis;
}

function requireDepth(depth: Tensor, { on, off }: Choice): number {
  for (const [name, { shape }] of Object.entries({ depth, on_value: on, off_value: off })) {
    if (shape.length > 0) throw invalidArgument(`${name} must be a scalar, but got: ${shapeText(shape)}`);
  }
  const [count] = indices(depth) as [number];
  if (count < 0) throw invalidArgument(`depth must be non-negative, got: ${count}`);
  return count;
}

/** Every element as the scalar `value`, whose data holds more than one number when it is complex. */
function filled(value: Tensor, count: number): Tensor['data'] {
  const out = allocate(value.dtype, count);
  for (let index = 0; index < count; index++) setElement(out, index, value);
  return out;
}

function setElement(out: Tensor['data'], index: number, { data }: Tensor): void {
  for (let part = 0; part < data.length; part++) out[index * data.length + part] = data[part] as never;
}

export const oneHotKernels: readonly PureKernelSpec[] = [oneHot];
