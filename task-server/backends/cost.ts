import { type DType, dtypeSize } from '#proto/wire/dtype.ts';
import { byteLength, type Tensor } from '#proto/wire/tensor.ts';
import type { PureCall } from '../engine/device.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';

/**
 * Units of cost (about a nanosecond each) up to which the serving thread computes itself: a quarter of a millisecond,
 * a few times what a call to a thread and back takes.
 */
export const INLINE_UNITS = 250_000;

/** What it costs the serving thread to send a call away and to take the answer: below, nothing is won by that. */
export const POSTING_UNITS = 20_000;

/** From here on an accelerated backend beats our own code by so much that loading it pays. */
export const ACCELERATED_UNITS = 2_000_000;

/** What an element of these types costs, in units of the simple operation that kernels count. */
const weights: Readonly<Partial<Record<DType, number>>> = {
  int64: 10,
  uint64: 10,
  half: 10,
  bfloat16: 5,
  complex64: 4,
  complex128: 4,
};

/** About how many nanoseconds a call takes in our own code on one core. */
export function costOf(spec: PureKernelSpec, { inputs, attrs }: PureCall): number {
  const [first] = inputs;
  const cost = spec.cost ? spec.cost(inputs, attrs) : elementsOf(inputs);
  return Number.isFinite(cost) ? cost * ((first && weights[first.dtype]) ?? 1) : 0;
}

function elementsOf(inputs: readonly Tensor[]): number {
  let total = 0;
  for (const input of inputs) total += dtypeSize(input.dtype) > 0 ? input.data.length : byteLength(input) + 10 * input.data.length;
  return total;
}
