import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { Attrs } from '#proto/wire/attr.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { matmulKernels } from '../../../../task-server/kernels/matmul.ts';
import { type Matrix, multiplyFloats } from '../../../../task-server/kernels/matmul-blocked.ts';

const no = create(AttrValueSchema, { value: { case: 'b', value: false } });
const noTransposition = new Attrs({ transpose_a: no, transpose_b: no }, 'product');

function matrix(rows: number, columns: number): Matrix<Float64Array> {
  const data = Float64Array.from({ length: rows * columns }, (_, index) => (index % 7) - 3);
  return { data, offset: 0, rows, columns, rowStride: columns, columnStride: 1 };
}

function element(a: Matrix<Float64Array>, b: Matrix<Float64Array>, row: number, column: number): number {
  let sum = 0;
  for (let k = 0; k < a.columns; k++) sum += (a.data[row * a.columns + k] as number) * (b.data[k * b.columns + column] as number);
  return sum;
}

describe('multiplyFloats', () => {
  it.each([
    [64, 64, 64],
    [65, 31, 66],
    [7, 200, 5],
    [3, 500, 300],
    [130, 17, 4],
  ])('is exact for %i x %i by %i, tiles filled or not', (rows, depth, columns) => {
    const [a, b] = [matrix(rows, depth), matrix(depth, columns)];
    const out = new Float64Array(rows * columns);
    multiplyFloats(a, b, out, 0);
    const expected = Float64Array.from(out, (_, index) => element(a, b, Math.floor(index / columns), index % columns));
    expect(out).toEqual(expected);
  });
});

describe('cost of MatMul', () => {
  it('counts a multiplication and an addition for each triple', () => {
    const tensor = (...shape: number[]): Tensor => ({ dtype: 'float', shape, data: new Float32Array(0) });
    const [matMul] = matmulKernels;
    expect(matMul?.cost?.([tensor(2, 3), tensor(3, 4)], noTransposition)).toBe(2 * 2 * 3 * 4);
    expect(matMul?.cost?.([tensor(2, 0), tensor(0, 4)], noTransposition)).toBe(0);
  });
});
