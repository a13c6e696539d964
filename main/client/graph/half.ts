const scratch = new DataView(new ArrayBuffer(4));

/** The bits of the nearest 16-bit float of IEEE 754; ties go to the even one, too large values to infinity. */
export function toHalfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  if (magnitude < 2 ** -24 / 2) return sign;
  const exponent = Math.max(Math.floor(Math.log2(magnitude)), -14);
  const mantissa = roundToEven(magnitude / 2 ** (exponent - 10));
  // A mantissa that rounds up to the next power of two carries into the exponent by plain addition.
  return sign | (exponent === -14 ? mantissa : ((exponent + 14) << 10) + mantissa);
}

/** The upper half of a 32-bit float, rounded to even. */
export function toBfloat16Bits(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  scratch.setFloat32(0, value);
  const bits = scratch.getUint32(0);
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return Math.round(value);
}
