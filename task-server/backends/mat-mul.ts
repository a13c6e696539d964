import type { Attrs } from '#proto/wire/attr.ts';
import type { Tensor } from '#proto/wire/tensor.ts';

/** What a call of the MatMul family computes: A·B over the last two dimensions, either one transposed before. */
export interface MatMul {
  readonly transposeA: boolean;
  readonly transposeB: boolean;
  readonly shape: readonly number[];
}

interface Family {
  readonly attrs: readonly [string, string];
  readonly batches: 'none' | 'equal' | 'broadcast';
}

const families: Readonly<Record<string, Family>> = {
  MatMul: { attrs: ['transpose_a', 'transpose_b'], batches: 'none' },
  BatchMatMul: { attrs: ['adj_x', 'adj_y'], batches: 'equal' },
  BatchMatMulV2: { attrs: ['adj_x', 'adj_y'], batches: 'broadcast' },
};

export const matMulOps: readonly string[] = Object.keys(families);

/** Undefined unless the call is valid and its result has elements. */
export function readMatMul(op: string, [a, b]: readonly Tensor[], attrs: Attrs): MatMul | undefined {
  const family = families[op];
  if (!family || !a || !b || a.shape.length < 2 || b.shape.length < 2) return undefined;
  const [transposeA, transposeB] = family.attrs.map((name) => attrs.has(name) && attrs.bool(name)) as [boolean, boolean];
  const [rows, inner] = matrix(a.shape, transposeA);
  const [innerB, columns] = matrix(b.shape, transposeB);
  const batch = batchShape(a.shape.slice(0, -2), b.shape.slice(0, -2), family.batches);
  if (!batch || inner !== innerB || inner === 0) return undefined;
  const shape = [...batch, rows, columns];
  return shape.includes(0) ? undefined : { transposeA, transposeB, shape };
}

function matrix(shape: readonly number[], transposed: boolean): [number, number] {
  const [rows = 0, columns = 0] = shape.slice(-2);
  return transposed ? [columns, rows] : [rows, columns];
}

function batchShape(a: readonly number[], b: readonly number[], rule: Family['batches']): number[] | undefined {
  const rank = Math.max(a.length, b.length);
  if (rule === 'none' && rank > 0) return undefined;
  if (rule === 'equal' && a.join() !== b.join()) return undefined;
  const batch: number[] = [];
  for (let i = 0; i < rank; i++) {
    const left = a[a.length - rank + i] ?? 1;
    const right = b[b.length - rank + i] ?? 1;
    if (left !== right && left !== 1 && right !== 1) return undefined;
    batch.push(left === 1 ? right : left);
  }
  return batch;
}
