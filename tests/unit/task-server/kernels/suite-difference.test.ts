import { describe, expect, it } from 'vitest';
import type { Tensor } from '#proto/wire/tensor.ts';
import { kernelCoverage } from '../../../support/kernel-suite.ts';
import { difference } from '../../../support/tensor-difference.ts';

const floats = (...values: number[]): Tensor => ({ dtype: 'float', shape: [values.length], data: Float32Array.from(values) });

describe('difference', () => {
  it('is none for equal tensors, NaN included', () => {
    expect(difference(floats(1, Number.NaN), floats(1, Number.NaN))).toBeUndefined();
  });

  it('names type, shape or the first element that differs', () => {
    expect(difference({ ...floats(1), dtype: 'double', data: new Float64Array(1) }, floats(1))).toBe('type double instead of float');
    expect(difference({ ...floats(1, 2), shape: [2, 1] }, floats(1, 2))).toBe('shape [2,1] instead of [2]');
    expect(difference(floats(1, 0), floats(1, -0))).toBe('element 1 is 0 instead of -0');
  });

  it('counts in units of the last place of the expected value', () => {
    const near = floats(1 + 2 ** -22);
    expect(difference(near, floats(1), { ulps: 2 })).toBeUndefined();
    expect(difference(near, floats(1), { ulps: 1 })).toMatch('element 0 is 1.000000238418579 instead of 1');
  });
});

describe('kernelCoverage', () => {
  it('reports every case that a runner gets wrong', async () => {
    const rows = await kernelCoverage(
      { backend: 'echo', run: ({ inputs }) => inputs },
      { families: ['logic'], includes: (op, dtype) => op === 'LogicalNot' && dtype === 'bool' },
    );
    expect(rows).toMatchObject([{ op: 'LogicalNot', dtype: 'bool', backend: 'echo', cases: 3 }]);
    expect(rows[0]?.failures[0]).toMatch('LogicalNot bool[3] {}: output 0: element 0 is 1 instead of 0');
  });
});
