import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { firstIndex, isScalarLike } from './array-index.ts';
import { bfloat16ToNumber, halfToNumber } from './half.ts';
import { FLOATS, numericTensor, numericType, roundTo } from './numeric-types.ts';

function scalarOf(name: string, tensor: Tensor): number | bigint {
  if (!isScalarLike(tensor)) throw invalidArgument(`${name} must be a scalar, not shape ${shapeText(tensor.shape)}`);
  const value = tensor.data[0] as number | bigint;
  if (tensor.dtype === 'half') return halfToNumber(value as number);
  return tensor.dtype === 'bfloat16' ? bfloat16ToNumber(value as number) : value;
}

/** Elements that a range has; the bounds as JavaScript numbers are exact enough to count them. */
function rangeLength(start: number, limit: number, delta: number): number {
  return Math.max(0, Math.ceil(Math.abs((limit - start) / delta)));
}

function range([startTensor, limitTensor, deltaTensor]: readonly Tensor[]): Tensor[] {
  const { dtype } = startTensor as Tensor;
  const start = scalarOf('start', startTensor as Tensor);
  const limit = scalarOf('limit', limitTensor as Tensor);
  const delta = scalarOf('delta', deltaTensor as Tensor);
  if (Number(delta) === 0) throw invalidArgument(`Requires delta != 0: ${delta}`);
  if (delta > 0 && start > limit) throw invalidArgument(`Requires start <= limit when delta > 0: ${start}/${limit}`);
  if (delta < 0 && start < limit) throw invalidArgument(`Requires start >= limit when delta < 0: ${start}/${limit}`);
  const round = roundTo(dtype);
  const count = rangeLength(Number(start), Number(limit), Number(delta));
  const values = numericType(dtype).create(count);
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    for (let i = 0; i < count; i++) values[i] = (start as bigint) + BigInt(i) * (delta as bigint);
  } else {
    const [first, step] = [start as number, delta as number];
    for (let i = 0; i < count; i++) values[i] = first + round(i * step);
  }
  return [numericTensor(dtype, [count], values)];
}

function linSpace([startTensor, stopTensor, countTensor]: readonly Tensor[]): Tensor[] {
  const { dtype } = startTensor as Tensor;
  const start = onlyScalar('start', startTensor as Tensor);
  const stop = onlyScalar('stop', stopTensor as Tensor);
  const count = onlyScalar('num', countTensor as Tensor);
  if (count <= 0) throw invalidArgument(`Requires num > 0: ${count}`);
  const round = roundTo(dtype);
  const values = numericType(dtype).create(count);
  const step = count > 1 ? round(round(stop - start) / (count - 1)) : 0;
  for (let i = 0; i < count; i++) values[i] = round(start + round(step * i));
  if (count > 1) values[count - 1] = stop;
  return [numericTensor(dtype, [count], values)];
}

/** Unlike Range, LinSpace takes nothing but scalars. */
function onlyScalar(name: string, tensor: Tensor): number {
  if (tensor.shape.length > 0) throw invalidArgument(`${name} must be a scalar, not shape ${shapeText(tensor.shape)}`);
  return Number(tensor.data[0]);
}

export const sequenceKernels: readonly PureKernelSpec[] = [
  {
    kind: 'pure',
    op: 'Range',
    types: { Tidx: [...FLOATS, 'int32', 'int64'] },
    cost: (inputs) => Math.abs(rangeLength(...(inputs.map(firstIndex) as [number, number, number]))),
    compute: range,
  },
  { kind: 'pure', op: 'LinSpace', types: { T: ['float', 'double'] }, cost: (inputs) => firstIndex(inputs[2] as Tensor), compute: linSpace },
];
