import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { sameShape } from './broadcast.ts';
import { FLOATS, type FloatArray, numericTensor, numericType } from './numeric-types.ts';

/** What is wrong with a tensor, in TensorFlow's words; `signed` tells the infinities apart. */
function anomalies(values: FloatArray, signed: boolean): string[] {
  const has = { nan: false, positive: false, negative: false };
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value - value === 0) continue;
    if (Number.isNaN(value)) has.nan = true;
    else if (value > 0) has.positive = true;
    else has.negative = true;
  }
  const infinities = signed
    ? [...(has.negative ? ['-Inf'] : []), ...(has.positive ? ['+Inf'] : [])]
    : has.negative || has.positive
      ? ['Inf']
      : [];
  return has.nan ? [...infinities, 'NaN'] : infinities;
}

function inWords(items: readonly string[]): string {
  return items.length < 3 ? items.join(' and ') : `${items.slice(0, -1).join(', ')}, and ${items.at(-1)}`;
}

function checkKernel(op: string, signed: boolean): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    types: { T: FLOATS },
    compute(inputs, attrs) {
      const [x] = inputs as readonly [Tensor];
      const found = anomalies(numericType(x.dtype).widen(x) as FloatArray, signed);
      if (found.length > 0) throw invalidArgument(`${attrs.text('message')} : Tensor had ${inWords(found)} values`);
      return [x];
    },
  };
}

const clipByValue: PureKernelSpec = {
  kind: 'pure',
  op: 'ClipByValue',
  types: { T: [...FLOATS, 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16'] },
  compute(inputs) {
    const [x, low, high] = inputs as readonly [Tensor, Tensor, Tensor];
    requireBounds(x, low, high);
    const { widen, create } = numericType(x.dtype);
    const [values, lows, highs] = [widen(x), widen(low), widen(high)];
    const out = create(values.length);
    const lowStep = low.shape.length === 0 ? 0 : 1;
    const highStep = high.shape.length === 0 ? 0 : 1;
    for (let i = 0; i < values.length; i++) {
      out[i] = clipped(values[i] as number, lows[i * lowStep] as number, highs[i * highStep] as number) as never;
    }
    return [numericTensor(x.dtype, x.shape, out)];
  },
};

/** Bounds that are NaN do not bind, and where they contradict each other the lower one wins. Also for 64-bit integers. */
function clipped(value: number, low: number, high: number): number {
  if (value > high && !(high < low)) return high;
  if (value < low || high < low) return low;
  return value;
}

function requireBounds(x: Tensor, low: Tensor, high: Tensor): void {
  const fits = ({ shape }: Tensor) => shape.length === 0 || sameShape(shape, x.shape);
  if (fits(low) && fits(high)) return;
  const shapes = `input shape: ${shapeText(x.shape)}clip_value_min shape: ${shapeText(low.shape)}clip_value_max shape: ${shapeText(high.shape)}`;
  throw invalidArgument(`clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. ${shapes}`);
}

export const numericKernels: readonly PureKernelSpec[] = [
  checkKernel('CheckNumerics', false),
  checkKernel('CheckNumericsV2', true),
  clipByValue,
];
