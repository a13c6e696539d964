import { isCompatible } from '#proto/ops/shape-algebra.ts';
import { partialShapeText } from '#proto/ops/shape-inference.ts';
import { invalidArgument, StatusError } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { GraphBuilder, Output } from '../graph/node.ts';
import { toTensor, type Value } from '../graph/values.ts';
import { Variable } from '../ops/variable.ts';
import { tensorByName, tensorOf } from './fetches.ts';

/**
 * Values for tensors of the graph: placeholders, or any other tensor, whose node then does not run for it. A Map, or pairs:
 * `[[x, [1, 2]], [flag, true]]`.
 */
export type Feeds = Iterable<readonly [Output | Variable | string, Value]>;

/** Throws INVALID_ARGUMENT, naming the tensor, when a value has another dtype or shape, or a tensor is fed twice. */
export function readFeeds(graph: GraphBuilder, feeds: Feeds): Map<Output, Tensor> {
  const values = new Map<Output, Tensor>();
  for (const [key, value] of feeds) {
    const output = typeof key === 'string' ? tensorByName(graph, key) : key instanceof Variable ? tensorOf(key) : key;
    if (output.graph !== graph) throw invalidArgument(`Cannot feed '${output.name}': it is not part of this session's graph`);
    if (values.has(output)) throw invalidArgument(`Endpoint "${output.name}" fed more than once.`);
    values.set(output, checked(output, value));
  }
  return values;
}

function checked(output: Output, value: Value): Tensor {
  const tensor = converted(output, value);
  if (!isCompatible(tensor.shape, output.shape)) {
    throw invalidArgument(
      `Cannot feed value of shape ${shapeText(tensor.shape)} for tensor '${output.name}', which has shape ${partialShapeText(output.shape)}`,
    );
  }
  return tensor;
}

function converted(output: Output, value: Value): Tensor {
  try {
    return toTensor(value, output.dtype);
  } catch (error) {
    throw error instanceof StatusError ? error.withMessage(`Cannot feed tensor '${output.name}': ${error.message}`) : error;
  }
}
