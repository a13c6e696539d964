import type { PartialShape } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { isSame } from './format-json.ts';

/** What is known about one tensor of a document before anything runs. */
export interface TensorType {
  /** Undefined while the inputs that decide it are not connected. */
  readonly dtype: DType | undefined;
  /** Refers to a variable's buffer. */
  readonly isRef: boolean;
  readonly shape: PartialShape;
  /** Elements of a small integer tensor; shapes of other tensors may follow from them. */
  readonly constant?: readonly number[] | undefined;
}

export const unknownType: TensorType = { dtype: undefined, isRef: false, shape: undefined };

export function sameTypes(a: readonly TensorType[], b: readonly TensorType[]): boolean {
  return isSame(a, b);
}

/** `float[2,?]`; `float` of any shape as `float[…]`, and `?` for what nobody knows yet. */
export function typeText({ dtype, shape }: Pick<TensorType, 'dtype' | 'shape'>): string {
  return `${dtype ?? '?'}${shape ? `[${shape.map((dim) => (dim < 0 ? '?' : dim)).join(',')}]` : '[…]'}`;
}

/** Integers longer than this are data and decide no shape. */
const MOST_ELEMENTS = 64;

/** The elements where they may decide a shape. */
export function constantOf(dtype: DType, elements: readonly unknown[]): readonly number[] | undefined {
  return (dtype === 'int32' || dtype === 'int64') && elements.length <= MOST_ELEMENTS ? elements.map(Number) : undefined;
}
