import { describe, expect, it } from 'vitest';
import { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf } from '../../../../task-server/kernels/half.ts';

describe.each([
  ['half', halfToNumber, numberToHalf],
  ['bfloat16', bfloat16ToNumber, numberToBfloat16],
] as const)('%s', (_, decode, encode) => {
  it('reads back every bit pattern that is a number', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
      const value = decode(bits);
      if (!Number.isNaN(value)) expect(encode(value)).toBe(bits);
    }
  });

  it('keeps NaN', () => {
    expect(decode(encode(Number.NaN))).toBeNaN();
  });
});

describe('rounding', () => {
  it('goes to the even neighbour from the middle', () => {
    expect(halfToNumber(numberToHalf(2049))).toBe(2048);
    expect(halfToNumber(numberToHalf(2051))).toBe(2052);
    expect(bfloat16ToNumber(numberToBfloat16(257))).toBe(256);
    expect(bfloat16ToNumber(numberToBfloat16(259))).toBe(260);
  });

  it('overflows to infinity', () => {
    expect(halfToNumber(numberToHalf(65519))).toBe(65504);
    expect(halfToNumber(numberToHalf(65520))).toBe(Number.POSITIVE_INFINITY);
    expect(halfToNumber(numberToHalf(-1e9))).toBe(Number.NEGATIVE_INFINITY);
  });

  it('reaches the smallest half and no further', () => {
    expect(numberToHalf(2 ** -24)).toBe(1);
    expect(numberToHalf(2 ** -25)).toBe(0);
  });
});
