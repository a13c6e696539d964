import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { sameShape } from './broadcast.ts';

function joinedBytes(parts: readonly Uint8Array[], separator: Uint8Array): Uint8Array {
  const pieces = parts.flatMap((part, index) => (index > 0 && separator.length > 0 ? [separator, part] : [part]));
  const joined = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return joined;
}

/** Scalars are joined to every element of the others. */
function stringJoin(inputs: readonly Tensor[], attrs: Attrs): Tensor[] {
  const tensors = inputs as readonly Tensor<'string'>[];
  const shape = tensors.find((tensor) => tensor.shape.length > 0)?.shape ?? [];
  const other = tensors.find((tensor) => tensor.shape.length > 0 && !sameShape(tensor.shape, shape));
  if (other) throw invalidArgument(`Input shapes do not match: ${shapeText(shape)} vs. ${shapeText(other.shape)}`);
  const separator = attrs.bytes('separator');
  const longest = tensors.find((tensor) => tensor.shape.length > 0) ?? tensors[0];
  const data = (longest?.data ?? []).map((_, index) =>
    joinedBytes(
      tensors.map((tensor) => tensor.data[tensor.shape.length > 0 ? index : 0] as Uint8Array),
      separator,
    ),
  );
  return [{ dtype: 'string', shape, data }];
}

export const stringKernels: readonly PureKernelSpec[] = [{ kind: 'pure', op: 'StringJoin', compute: stringJoin }];
