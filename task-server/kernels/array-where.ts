import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';

/** Flat positions of the elements that are not zero; NaN is not, -0 is. */
function nonZero({ dtype, data }: Tensor): number[] {
  const found: number[] = [];
  if (dtype === 'complex64' || dtype === 'complex128') {
    for (let i = 0; i < data.length; i += 2) if (data[i] !== 0 || data[i + 1] !== 0) found.push(i / 2);
  } else if (dtype === 'half' || dtype === 'bfloat16') {
    for (let i = 0; i < data.length; i++) if (((data[i] as number) & 0x7fff) !== 0) found.push(i);
  } else {
    for (let i = 0; i < data.length; i++) if (data[i] !== 0 && data[i] !== 0n) found.push(i);
  }
  return found;
}

function where([tensor]: readonly Tensor[]): Tensor[] {
  const { shape } = tensor as Tensor;
  const rank = shape.length;
  if (rank === 0 || rank > 8) throw invalidArgument(`WhereOp : Unhandled input dimensions: ${rank}`);
  const found = nonZero(tensor as Tensor);
  const data = allocate('int64', found.length * rank);
  for (const [row, flat] of found.entries()) {
    let rest = flat;
    for (let axis = rank - 1; axis >= 0; axis--) {
      const size = shape[axis] as number;
      data[row * rank + axis] = BigInt(rest % size);
      rest = Math.floor(rest / size);
    }
  }
  return [{ dtype: 'int64', shape: [found.length, rank], data }];
}

export const whereKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'Where', cost: ([tensor]) => 20 * (tensor as Tensor).data.length, compute: where },
];
