import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { broadcastIndices, broadcastShape, commonShape, eachSpan, type Span, sameShape } from './broadcast.ts';
import { broadcastSize } from './elementwise.ts';
import {
  type BigArray,
  COMPLEX,
  type FloatArray,
  NUMBERS,
  type NumberArray,
  numericType,
  roundTo,
  type WorkArray,
} from './numeric-types.ts';

type Compare<A> = (a: A, b: A, out: Uint8Array, span: Span) => void;
type NumberCompare = Compare<NumberArray>;

const less: NumberCompare = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = (a[i] as number) < (b[j] as number) ? 1 : 0;
  }
};

const lessEqual: NumberCompare = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = (a[i] as number) <= (b[j] as number) ? 1 : 0;
  }
};

const equal: NumberCompare = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = a[i] === b[j] ? 1 : 0;
  }
};

const notEqual: NumberCompare = (a, b, out, span) => {
  let { a: i, b: j, out: to } = span;
  for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
    out[to] = a[i] === b[j] ? 0 : 1;
  }
};

const bigCompare =
  (holds: (x: bigint, y: bigint) => boolean): Compare<BigArray> =>
  (a, b, out, span) => {
    let { a: i, b: j, out: to } = span;
    for (const { aStep, bStep } = span, end = to + span.count; to < end; to++, i += aStep, j += bStep) {
      out[to] = holds(a[i] as bigint, b[j] as bigint) ? 1 : 0;
    }
  };

interface CompareOp {
  readonly op: string;
  readonly number: NumberCompare;
  readonly bigint: Compare<BigArray>;
  /** Compare the second input with the first: a > b is b < a. */
  readonly swapped?: boolean;
}

const order: readonly CompareOp[] = [
  { op: 'Less', number: less, bigint: bigCompare((x, y) => x < y) },
  { op: 'LessEqual', number: lessEqual, bigint: bigCompare((x, y) => x <= y) },
  { op: 'Greater', number: less, bigint: bigCompare((x, y) => x < y), swapped: true },
  { op: 'GreaterEqual', number: lessEqual, bigint: bigCompare((x, y) => x <= y), swapped: true },
];

function compareTensors(a: Tensor, b: Tensor, { number, bigint }: CompareOp): Tensor {
  const { widen, domain } = numericType(a.dtype);
  const shape = broadcastShape(a.shape, b.shape);
  const data = allocate('bool', sizeOf(shape));
  const x = widen(a);
  const y = widen(b);
  const loop = (domain === 'bigint' ? bigint : number) as Compare<WorkArray>;
  eachSpan(a.shape, b.shape, shape, (span) => loop(x, y, data, span));
  return { dtype: 'bool', shape, data };
}

function orderKernel(op: CompareOp): PureKernelSpec {
  return {
    kind: 'pure',
    op: op.op,
    types: { T: NUMBERS },
    cost: broadcastSize,
    compute(inputs) {
      const [a, b] = inputs as readonly [Tensor, Tensor];
      return [op.swapped ? swapped(a, b, op) : compareTensors(a, b, op)];
    },
  };
}

function swapped(a: Tensor, b: Tensor, op: CompareOp): Tensor {
  broadcastShape(a.shape, b.shape);
  return compareTensors(b, a, op);
}

/** Equality of types whose elements are no single numbers, element by element. */
const sameElement: Readonly<Partial<Record<DType, (a: Tensor, i: number, b: Tensor, j: number) => boolean>>> = {
  string: (a, i, b, j) => sameBytes((a as Tensor<'string'>).data[i] as Uint8Array, (b as Tensor<'string'>).data[j] as Uint8Array),
  complex64: sameComplex,
  complex128: sameComplex,
};

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function sameComplex(a: Tensor, i: number, b: Tensor, j: number): boolean {
  const x = a.data as FloatArray;
  const y = b.data as FloatArray;
  return x[2 * i] === y[2 * j] && x[2 * i + 1] === y[2 * j + 1];
}

function equalityKernel(op: string, wanted: boolean): PureKernelSpec {
  const numbers: CompareOp = wanted
    ? { op, number: equal, bigint: bigCompare((x, y) => x === y) }
    : { op, number: notEqual, bigint: bigCompare((x, y) => x !== y) };
  return {
    kind: 'pure',
    op,
    types: { T: [...NUMBERS, 'bool', 'string', ...COMPLEX] },
    cost: broadcastSize,
    compute(inputs, attrs) {
      const [a, b] = inputs as readonly [Tensor, Tensor];
      if (attrs.has('incompatible_shape_error') && !attrs.bool('incompatible_shape_error') && !commonShape(a.shape, b.shape)) {
        return [{ dtype: 'bool', shape: [], data: Uint8Array.of(wanted ? 0 : 1) }];
      }
      const same = sameElement[a.dtype];
      return [same ? equalElements(a, b, (i, j) => same(a, i, b, j) === wanted) : compareTensors(a, b, numbers)];
    },
  };
}

function equalElements(a: Tensor, b: Tensor, holds: (i: number, j: number) => boolean): Tensor {
  const shape = broadcastShape(a.shape, b.shape);
  const data = allocate('bool', sizeOf(shape));
  const aIndex = broadcastIndices(a.shape, shape);
  const bIndex = broadcastIndices(b.shape, shape);
  for (let i = 0; i < data.length; i++) data[i] = holds(aIndex?.[i] ?? i, bIndex?.[i] ?? i) ? 1 : 0;
  return { dtype: 'bool', shape, data };
}

const approximateEqual: PureKernelSpec = {
  kind: 'pure',
  op: 'ApproximateEqual',
  types: { T: ['float', 'double'] },
  compute(inputs, attrs) {
    const [a, b] = inputs as readonly [Tensor, Tensor];
    if (!sameShape(a.shape, b.shape)) {
      throw invalidArgument(`x and y must be of the same shape. x shape: ${shapeText(a.shape)}. y shape: ${shapeText(b.shape)}`);
    }
    const x = a.data as FloatArray;
    const y = b.data as FloatArray;
    const round = roundTo(a.dtype);
    const tolerance = round(attrs.float('tolerance'));
    return [equalElements(a, b, (i, j) => Math.abs(round((x[i] as number) - (y[j] as number))) < tolerance)];
  },
};

export const compareKernels: readonly PureKernelSpec[] = [
  ...order.map(orderKernel),
  equalityKernel('Equal', true),
  equalityKernel('NotEqual', false),
  approximateEqual,
];
