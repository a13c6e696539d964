import { type GraphBuilder, type Node, Variable } from '../client/index.ts';

/** Memory of a graph, and the node that gives it its first value. */
export interface Initializable {
  /** The node that stands for the memory. */
  readonly variable: Node;
  readonly initializer: Node;
}

const variableOps: ReadonlySet<string> = new Set(['Variable', 'VariableV2', 'VarHandleOp']);
const assignOps: ReadonlySet<string> = new Set(['Assign', 'AssignVariableOp']);

export function isVariable({ type }: Node): boolean {
  return variableOps.has(type);
}

/**
 * The variables of a graph with their initializers, in the order of the graph. A graph that was imported does not say which of
 * several assignments is the initializer: TensorFlow names it `NAME/Assign`, and an only one is it too.
 */
export function findInitializers(graph: GraphBuilder): readonly Initializable[] {
  const known = new Map<Node, Node>();
  for (const list of ['variables', 'local_variables'])
    for (const each of graph.collection<unknown>(list)) if (each instanceof Variable) known.set(each.handle.node, each.initializer);
  const assignments = [...graph.nodes.values()].filter(({ type }) => assignOps.has(type));
  return [...graph.nodes.values()].filter(isVariable).flatMap((variable) => {
    const own = assignments.filter(({ inputs }) => inputs[0]?.node === variable);
    const named = own.find(({ name }) => name === `${variable.name}/Assign`);
    const initializer = known.get(variable) ?? named ?? (own.length === 1 ? own[0] : undefined);
    return initializer ? [{ variable, initializer }] : [];
  });
}

/** A node that reads the variable, and so fails while it has no value. */
export function readerOf(graph: GraphBuilder, variable: Node): Node | undefined {
  return [...graph.nodes.values()].find(
    ({ type, inputs }) => inputs[0]?.node === variable && (type === 'ReadVariableOp' || (type === 'Identity' && inputs[0].isRef)),
  );
}
