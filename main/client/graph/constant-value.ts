import { isFullyKnown } from '#proto/ops/shape-algebra.ts';
import { fromTensorProto } from '#proto/wire/tensor-codec.ts';
import type { Output } from './node.ts';

/** Shapes, axes and the like are short; a longer tensor is data. */
const MOST_ELEMENTS = 64;

/** Elements of an integer tensor whose value is known while the graph is built; undefined otherwise. */
export function constantValue(output: Output): readonly number[] | undefined {
  if (output.dtype !== 'int32' && output.dtype !== 'int64') return undefined;
  const { type, inputs } = output.node;
  if (type === 'Const') return elementsOf(output);
  if (type === 'Shape') return isFullyKnown(inputs[0]?.shape) ? inputs[0].shape : undefined;
  if (type !== 'Pack') return undefined;
  const parts = inputs.map((input) => (input.shape?.length === 0 ? constantValue(input)?.[0] : undefined));
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function elementsOf(output: Output): readonly number[] | undefined {
  const attr = output.node.attrs['value']?.value;
  const count = output.shape?.reduce((product, dim) => product * dim, 1) ?? 0;
  if (attr?.case !== 'tensor' || count > MOST_ELEMENTS) return undefined;
  return Array.from(fromTensorProto(attr.value).data as ArrayLike<number | bigint>, Number);
}
