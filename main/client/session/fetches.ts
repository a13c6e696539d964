import { invalidArgument, notFound } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { parseInputName } from '#proto/wire/tensor-name.ts';
import { type GraphBuilder, Node, Output } from '../graph/node.ts';
import { Variable } from '../ops/variable.ts';

/** A tensor, a variable, a node to run for its effect, or a name: `x:0` for a tensor, `x` for a node. */
export type Fetchable = Output | Variable | Node | string;
/** What to fetch: one thing, a list or a record, nested as one likes. The result has the same structure. */
export type Fetches = Fetchable | readonly Fetches[] | { readonly [name: string]: Fetches };

/** Result of a fetch: a tensor in the place of each tensor or variable, undefined in the place of each node. */
export type Fetched<F> = F extends Node
  ? undefined
  : F extends Output | Variable
    ? Tensor
    : F extends `${string}:${number}`
      ? Tensor
      : F extends string
        ? Tensor | undefined
        : { -readonly [K in keyof F]: Fetched<F[K]> };

/** A fetch structure taken apart. */
export interface FetchPlan {
  /** Without repetitions. */
  readonly tensors: readonly Output[];
  readonly targets: readonly Node[];
  /** The structure with the values in their places. */
  assemble(values: ReadonlyMap<Output, Tensor>): unknown;
}

/** Throws INVALID_ARGUMENT or NOT_FOUND, naming the part, when something cannot be fetched from this graph. */
export function planFetches(graph: GraphBuilder, fetches: Fetches): FetchPlan {
  const tensors = new Set<Output>();
  const targets = new Set<Node>();
  const plan = (part: Fetches): ((values: ReadonlyMap<Output, Tensor>) => unknown) => {
    const element = elementOf(graph, part);
    if (element instanceof Output) {
      tensors.add(element);
      return (values) => values.get(element);
    }
    if (element instanceof Node) {
      targets.add(element);
      return () => undefined;
    }
    if (Array.isArray(part)) {
      const parts = part.map(plan);
      return (values) => parts.map((assemble) => assemble(values));
    }
    const entries = Object.entries(part as Readonly<Record<string, Fetches>>).map(([key, value]) => [key, plan(value)] as const);
    return (values) => Object.fromEntries(entries.map(([key, assemble]) => [key, assemble(values)]));
  };
  const assemble = plan(fetches);
  return { tensors: [...tensors], targets: [...targets], assemble };
}

/** The tensor that stands for a variable in feeds and fetches. */
export function tensorOf(variable: Variable): Output {
  return variable.isResource ? variable.snapshot : variable.handle;
}

/** A tensor by its name `node:index`. Throws NOT_FOUND when the graph has none. */
export function tensorByName(graph: GraphBuilder, name: string): Output {
  const { node, output } = parseInputName(name);
  const found = graph.nodes.get(node)?.outputs[output];
  if (!found) throw notFound(`The graph has no tensor '${name}'`);
  return found;
}

function elementOf(graph: GraphBuilder, part: Fetches): Output | Node | undefined {
  if (typeof part === 'string') return part.includes(':') ? tensorByName(graph, part) : nodeByName(graph, part);
  const element = part instanceof Variable ? tensorOf(part) : part;
  if (!(element instanceof Output || element instanceof Node)) {
    if (typeof part === 'object' && part !== null) return undefined;
    throw invalidArgument(`Cannot fetch ${part === null ? 'null' : typeof part}: give a tensor, a variable, a node or a name`);
  }
  if (element.graph !== graph) throw invalidArgument(`'${element.name}' is not part of this session's graph`);
  return element;
}

function nodeByName(graph: GraphBuilder, name: string): Node {
  const node = graph.nodes.get(name);
  if (!node) throw notFound(`The graph has no node '${name}'; a tensor's name has an index: '${name}:0'`);
  return node;
}
