import { describe, expect, it } from 'vitest';
import { toNested, toNumber, toTensor } from '../../../../main/client/index.ts';

describe('values become tensors', () => {
  it.each([
    [1, 'float', []],
    [1n, 'int64', []],
    [true, 'bool', []],
    ['text', 'string', []],
    [[[1, 2, 3]], 'float', [1, 3]],
    [[], 'float', [0]],
    [new Int32Array([1, 2]), 'int32', [2]],
    [[new Float64Array(3), new Float64Array(3)], 'double', [2, 3]],
  ] as const)('by themselves (case %#)', (value, dtype, shape) => {
    expect(toTensor(value)).toMatchObject({ dtype, shape });
  });

  it('of a wanted dtype', () => {
    expect(toTensor(3, 'int64').data).toEqual(BigInt64Array.of(3n));
    expect(toTensor(2n ** 60n, 'int64').data).toEqual(BigInt64Array.of(2n ** 60n));
    expect(toTensor(new Float32Array([1, 2]), 'int32').data).toEqual(Int32Array.of(1, 2));
    expect(toTensor([1, 0], 'bool').data).toEqual(Uint8Array.of(1, 0));
  });

  it.each([
    [1, 0x3c00],
    [-2, 0xc000],
    [65504, 0x7bff],
    [65520, 0x7c00],
    [2 ** -24, 0x0001],
    [2 ** -14, 0x0400],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [0.1, 0x2e66],
  ])('%d as half', (value, bits) => {
    expect(toTensor(value, 'half').data[0]).toBe(bits);
  });

  it.each([
    [1.5, 'int32', '1.5 is no value of type int32'],
    ['x', 'float', "'x' is no value of type float"],
    [1, 'string', '1 is no value of type string'],
    [1, 'complex64', 'interleaved'],
    [{ dtype: 'float', shape: [], data: new Float32Array(1) }, 'double', 'A tensor of type double is wanted'],
  ] as const)('but not everything becomes everything (case %#)', (value, dtype, message) => {
    expect(() => toTensor(value, dtype)).toThrow(message);
  });
});

describe('tensors become plain values', () => {
  it('in their shape', () => {
    expect(toNested({ dtype: 'int32', shape: [2, 1, 2], data: Int32Array.of(1, 2, 3, 4) })).toEqual([[[1, 2]], [[3, 4]]]);
    expect(toNested({ dtype: 'string', shape: [1], data: [new TextEncoder().encode('ü')] })).toEqual(['ü']);
    expect(toNested({ dtype: 'bool', shape: [], data: Uint8Array.of(1) })).toBe(true);
    expect(toNested({ dtype: 'float', shape: [2, 0], data: new Float32Array(0) })).toEqual([[], []]);
    expect(toNested({ dtype: 'complex64', shape: [1], data: Float32Array.of(1, 2) })).toEqual([[1, 2]]);
  });

  it('or one number', () => {
    expect(toNumber({ dtype: 'int64', shape: [1], data: BigInt64Array.of(7n) })).toBe(7);
    expect(() => toNumber({ dtype: 'float', shape: [2], data: new Float32Array(2) })).toThrow('is not one number');
  });
});
