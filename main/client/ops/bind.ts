import type { GraphBuilder } from '../graph/node.ts';

/** Functions that make nodes in the graph given first. */
export type OpFunctions = Readonly<Record<string, (graph: GraphBuilder, ...args: never[]) => unknown>>;

/** The same functions for one graph. */
export type Bound<T extends OpFunctions> = {
  readonly [K in keyof T]: T[K] extends (graph: GraphBuilder, ...args: infer A) => infer R ? (...args: A) => R : never;
};

export function bindOps<T extends OpFunctions>(graph: GraphBuilder, ops: T): Bound<T> {
  const bound = Object.entries(ops).map(([name, make]) => [name, (...args: never[]) => make(graph, ...args)]);
  // Object.fromEntries forgets which function belongs to which name; the mapped type says it again.
  return Object.fromEntries(bound) as Bound<T>;
}
