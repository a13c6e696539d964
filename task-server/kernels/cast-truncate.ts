import type { DType } from '#proto/wire/dtype.ts';
import type { Tensor } from '#proto/wire/tensor.ts';

/** Mantissa bits that a cast to a narrower float drops. TensorFlow rounds double to bfloat16 in spite of the attr. */
const dropped: Readonly<Partial<Record<DType, Readonly<Partial<Record<DType, number>>>>>> = {
  float: { half: 13, bfloat16: 16 },
  double: { float: 29, half: 42 },
};

/** Clears the bits that a cast to `to` would round, so that it cuts towards zero instead. */
export function truncateMantissa(tensor: Tensor, to: DType): Tensor {
  const bits = dropped[tensor.dtype]?.[to];
  if (bits === undefined) return tensor;
  const { dtype, shape } = tensor;
  const data = (tensor.data as Float32Array | Float64Array).slice();
  const words = new Uint32Array(data.buffer);
  const step = data.BYTES_PER_ELEMENT / 4;
  for (let low = 0; low < words.length; low += step) {
    words[low] = clearLow(words[low] as number, Math.min(bits, 32));
    if (step === 2) words[low + 1] = clearLow(words[low + 1] as number, Math.max(bits - 32, 0));
  }
  return { dtype, shape, data };
}

function clearLow(word: number, bits: number): number {
  return bits === 32 ? 0 : (word >>> bits) << bits;
}
