import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { INDICES, indices, NUMBERS, numericTensor, numericType, roundTo, type WorkArray } from './numeric-types.ts';
import { aroundAxis, type Pass } from './reduce-axes.ts';

interface Scan {
  readonly op: string;
  readonly start: 0 | 1;
  number(total: number, x: number): number;
  int(total: number, x: number): number;
  bigint(total: bigint, x: bigint): bigint;
}

interface ScanOrder extends Pass {
  readonly exclusive: boolean;
  readonly reverse: boolean;
}

/** Runs along the middle dimension, from its end when reversed. */
function scan<T extends number | bigint>(values: ArrayLike<T>, out: T[], start: T, step: (total: T, x: T) => T, order: ScanOrder): void {
  const { outer, count, inner, exclusive, reverse } = order;
  const stride = reverse ? -inner : inner;
  for (let o = 0; o < outer; o++) {
    for (let i = 0; i < inner; i++) {
      let at = (o * count + (reverse ? count - 1 : 0)) * inner + i;
      let total = start;
      for (let c = 0; c < count; c++, at += stride) {
        const next = step(total, values[at] as T);
        out[at] = exclusive ? total : next;
        total = next;
      }
    }
  }
}

function scanAxis(rank: number, tensor: Tensor): number {
  if (tensor.shape.length > 0) throw invalidArgument(`ScanOp: axis must be a scalar, not ${shapeText(tensor.shape)}`);
  const [given = 0] = indices(tensor);
  const axis = given < 0 ? given + rank : given;
  if (axis < 0 || axis >= rank) throw invalidArgument(`ScanOp: Expected scan axis in the range [${-rank || 0}, ${rank}), but got ${axis}`);
  return axis;
}

function scanKernel({ op, start, number, int, bigint }: Scan): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    types: { T: NUMBERS, Tidx: INDICES },
    compute(inputs, attrs) {
      const [x, axisTensor] = inputs as readonly [Tensor, Tensor];
      const axis = scanAxis(x.shape.length, axisTensor);
      const order = { ...aroundAxis(x.shape, axis), exclusive: attrs.bool('exclusive'), reverse: attrs.bool('reverse') };
      const { widen, create, domain } = numericType(x.dtype);
      const values = widen(x);
      const out: WorkArray = create(values.length);
      const round = roundTo(x.dtype);
      if (domain === 'bigint') scan(values as BigInt64Array, out as unknown as bigint[], BigInt(start), bigint, order);
      else {
        const step = domain === 'int' ? int : (total: number, value: number) => round(number(total, value));
        scan(values as Float64Array, out as unknown as number[], start, step, order);
      }
      return [numericTensor(x.dtype, x.shape, out)];
    },
  };
}

const scans: readonly Scan[] = [
  {
    op: 'Cumsum',
    start: 0,
    number: (total, x) => total + x,
    int: (total, x) => (total + x) | 0,
    bigint: (total, x) => BigInt.asIntN(64, total + x),
  },
  { op: 'Cumprod', start: 1, number: (total, x) => total * x, int: Math.imul, bigint: (total, x) => BigInt.asIntN(64, total * x) },
];

export const scanKernels: readonly PureKernelSpec[] = scans.map(scanKernel);
