import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument, notFound, toStatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { type GraphBuilder, type Node, type Outcome, type Output, toNested, type Value } from '../client/index.ts';
import { tensorByName } from '../client/session/fetches.ts';

/** A node by its name, or by that of one of its tensors. NOT_FOUND when the graph has none. */
export function nodeNamed(graph: GraphBuilder, name: string): Node {
  const node = graph.nodes.get(name.replace(/:\d+$/, ''));
  if (!node) throw notFound(`The graph has no node '${name}'`);
  return node;
}

/** A plan's feeds, JSON by tensor, as values of the tensors' types. INVALID_ARGUMENT for what is no JSON. */
export function readPlanFeeds(graph: GraphBuilder, feeds: Readonly<Record<string, string>>): [Output, Value][] {
  return Object.entries(feeds).map(([name, json]) => {
    const output = tensorByName(graph, name.includes(':') ? name : `${name}:0`);
    try {
      return [output, typed(JSON.parse(json), output.dtype)];
    } catch (error) {
      throw invalidArgument(`The value of feed '${name}' is not JSON: ${toStatusError(error).message}`, { cause: error });
    }
  });
}

const wholeNumbers: ReadonlySet<DType> = new Set(['int64', 'uint64']);

/** JSON has no NaN, no infinity and no integers of 64 bits: these are written as texts. */
function typed(value: unknown, dtype: DType): Value {
  if (Array.isArray(value)) return value.map((each) => typed(each, dtype));
  if (typeof value !== 'string' || dtype === 'string') return value as Value; // `toTensor` refuses what is no value.
  if (wholeNumbers.has(dtype) && /^[+-]?\d+$/.test(value)) return BigInt(value);
  return /^(?:NaN|[+-]?Infinity)$/.test(value) ? Number(value) : value;
}

/** A value as part of an outcome: a number, a list of numbers, or JSON with integers of 64 bits as texts. */
export function outcomeValue(tensor: Tensor): Outcome[string] {
  const value = toNested(tensor);
  if (typeof value === 'number') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'number')) return value;
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
}
