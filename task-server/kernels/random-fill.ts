import type { Attrs } from '#proto/wire/attr.ts';
import { allocate, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { firstIndex, indexTensor } from './array-index.ts';
import { gathered } from './gather.ts';
import { fromNumbers, isHalf } from './half.ts';
import { indices, numericType } from './numeric-types.ts';
import { GROUP, Philox } from './philox.ts';
import {
  type FloatStream,
  type FloatType,
  fillNormal,
  fillTruncatedNormal,
  fillUniform,
  floatStreams,
  type Sink,
} from './philox-distributions.ts';

/**
 * Internal ops, used by random.ts only: the inputs of the op of that name after a first one with key and counter. Being
 * pure they leave the serving thread when there is much to fill.
 */
type Fill = (generator: Philox, stream: FloatStream, out: Sink) => void;

function floatKernel(op: string, fill: Fill, cost: number): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    cost: ([, shape]) => cost * sizeOf(indices(shape as Tensor)),
    compute: ([state, shapeTensor], attrs) => {
      const dtype = attrs.type('dtype') as FloatType;
      const shape = indices(shapeTensor as Tensor);
      const out = allocate(dtype === 'double' ? 'double' : 'float', sizeOf(shape));
      fill(Philox.fromState(state as Tensor<'uint32'>), floatStreams[dtype], out);
      return [{ dtype, shape, data: isHalf(dtype) ? fromNumbers(dtype, out) : out }];
    },
  };
}

function uniformInt([state, shapeTensor, low, high]: readonly Tensor[]): Tensor[] {
  const generator = Philox.fromState(state as Tensor<'uint32'>);
  const shape = indices(shapeTensor as Tensor);
  const { dtype, data } = low as Tensor<'int32' | 'int64'>;
  const out = allocate(dtype, sizeOf(shape));
  const limit = (high as Tensor<'int32' | 'int64'>).data[0] as number | bigint;
  if (out instanceof BigInt64Array) fillBigInts(generator, data[0] as bigint, limit as bigint, out);
  else fillInts(generator, data[0] as number, limit as number, out);
  return [{ dtype, shape, data: out }];
}

function fillInts(generator: Philox, low: number, high: number, out: Int32Array): void {
  const range = high - low;
  for (let i = 0; i < out.length; i++) out[i] = low + (generator.next() % range);
}

function fillBigInts(generator: Philox, low: bigint, high: bigint, out: BigInt64Array): void {
  const range = high - low;
  for (let i = 0; i < out.length; i++) {
    const bits = BigInt(generator.next()) | (BigInt(generator.next()) << 32n);
    out[i] = low + (bits % range);
  }
}

/** The order in which shuffled rows come; also the queue's way of choosing. */
function shuffledIndices(generator: Philox, size: number): Int32Array {
  const order = Int32Array.from({ length: size }, (_, index) => index);
  for (let at = 0; at < size - 1; at++) {
    const other = at + (generator.next() % (size - at));
    const moved = order[at] as number;
    order[at] = order[other] as number;
    order[other] = moved;
  }
  return order;
}

function shuffle([state, value]: readonly Tensor[]): Tensor[] {
  const input = value as Tensor;
  const [size = 1] = input.shape;
  if (size <= 1 || input.data.length <= 1) return [input];
  const order = shuffledIndices(Philox.fromState(state as Tensor<'uint32'>), size);
  return [gathered(input, indexTensor('int32', order), { axis: 0, batchDims: 0 })];
}

function multinomial([state, logits, count]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { dtype, shape } = logits as Tensor;
  const [rows = 0, classes = 0] = shape;
  const samples = firstIndex(count as Tensor);
  const generator = Philox.fromState(state as Tensor<'uint32'>);
  const values = numericType(dtype).widen(logits as Tensor) as Float64Array;
  const out = new Int32Array(rows * samples);
  const unit = new Float64Array(GROUP);
  const bits = new Uint32Array(GROUP);
  for (let row = 0; row < rows; row++) {
    const sums = cumulated(values.subarray(row * classes, (row + 1) * classes));
    for (let i = 0; i < samples; i++) {
      bits[0] = generator.next();
      bits[1] = generator.next();
      floatStreams.double.uniform(bits, unit);
      const wanted = (unit[0] as number) * (sums.at(-1) as number);
      const found = sums.findIndex((sum) => sum > wanted);
      out[row * samples + i] = found < 0 ? classes : found;
    }
  }
  return [indexTensor(attrs.type('output_dtype'), out, [rows, samples])];
}

/** Running sums of the unnormalised probabilities. */
function cumulated(logits: ArrayLike<number>): Float64Array {
  const values = Float64Array.from(logits);
  const largest = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, value) : most), Number.NEGATIVE_INFINITY);
  let total = 0;
  return values.map((value) => {
    if (Number.isFinite(value)) total += Math.exp(value - largest);
    return total;
  });
}

const INT_COSTS = { int32: 30, int64: 300 };

export const randomFillKernels: readonly PureKernelSpec[] = [
  floatKernel('_PhiloxRandomUniform', fillUniform, 30),
  floatKernel('_PhiloxRandomStandardNormal', fillNormal, 60),
  floatKernel('_PhiloxTruncatedNormal', fillTruncatedNormal, 80),
  {
    kind: 'pure',
    op: '_PhiloxRandomUniformInt',
    cost: ([, shape, low]) => INT_COSTS[(low as Tensor<'int32' | 'int64'>).dtype] * sizeOf(indices(shape as Tensor)),
    compute: uniformInt,
  },
  { kind: 'pure', op: '_PhiloxRandomShuffle', cost: ([, value]) => 10 * (value as Tensor).data.length, compute: shuffle },
  {
    kind: 'pure',
    op: '_PhiloxMultinomial',
    cost: ([, logits, count]) => (logits as Tensor).data.length * firstIndex(count as Tensor),
    compute: multinomial,
  },
];
