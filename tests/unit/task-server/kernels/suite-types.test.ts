import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { mathKernels } from './math-kernels.ts';

type TypesByAttr = Readonly<Record<string, readonly string[]>>;

const fixture = new URL('../../../fixtures/kernels/registered/cpu.json', import.meta.url);
const genuine: Readonly<Record<string, TypesByAttr>> = JSON.parse(readFileSync(fixture, 'utf8'));

/** Types that TensorFlow serves and we do not: strings, quantized numbers, handles; complex arithmetic. */
const leftOut = /^(string|variant|resource|complex.*|q.*)$/;

describe('types of the kernels', () => {
  it.each(mathKernels.map((spec) => [spec.op, spec.types ?? {}] as const))('%s serves what TensorFlow serves', (op, types) => {
    for (const [attr, wanted] of Object.entries(genuine[op] ?? {})) {
      const served: readonly string[] = types[attr] ?? wanted;
      expect(
        wanted.filter((dtype) => !leftOut.test(dtype) && !served.includes(dtype)),
        `missing for ${attr}`,
      ).toEqual([]);
      expect(
        served.filter((dtype) => !wanted.includes(dtype)),
        `not in TensorFlow for ${attr}`,
      ).toEqual([]);
    }
  });
});
