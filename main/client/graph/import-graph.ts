import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import { withDefaults } from '#proto/ops/defaults.ts';
import { inferShapes } from '#proto/ops/shape-inference.ts';
import { resolveTypes } from '#proto/ops/signature.ts';
import { validateNode } from '#proto/ops/validate-node.ts';
import { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { CONTROL, parseInputName } from '#proto/wire/tensor-name.ts';
import { colocationAttr } from './attrs.ts';
import { type BaseGraph, outputType } from './base-graph.ts';
import { colocationGroups } from './colocation.ts';
import { constantValue } from './constant-value.ts';
import { Node, Output } from './node.ts';

export interface ImportOptions {
  /** Put before every node's name, with a `/`. None by default: the nodes keep their names. */
  readonly prefix?: string;
}

interface Draft {
  readonly node: Node;
  readonly def: NodeDef;
  readonly inputs: Output[];
  readonly controlInputs: Node[];
}

/**
 * Adds the nodes of a definition to a graph and returns them by their original name. The order of the definition does not
 * matter. Throws NOT_FOUND for an unknown op; INVALID_ARGUMENT for a missing input, a name that is taken, attrs that do
 * not fit. After an error the graph must not be used.
 */
export function importGraphDef(graph: BaseGraph, def: GraphDef, { prefix = '' }: ImportOptions = {}): ReadonlyMap<string, Node> {
  if (def.library) graph.addLibrary(def.library);
  const scope = prefix === '' ? '' : `${graph.uniqueName(prefix)}/`;
  const drafts = new Map<string, Draft>();
  for (const node of def.node) {
    if (drafts.has(node.name)) throw invalidArgument(`The definition has two nodes named '${node.name}'`);
    drafts.set(node.name, draftNode(graph, node, scope));
  }
  for (const draft of drafts.values()) connect(draft, drafts);
  for (const { node } of drafts.values()) graph.addNode(node);
  for (const { node } of drafts.values()) setShapes(node);
  return new Map([...drafts].map(([name, { node }]) => [name, node]));
}

function draftNode(graph: BaseGraph, node: NodeDef, scope: string): Draft {
  const name = scope + node.name;
  graph.reserveName(name);
  const def = graph.definition(node.op);
  const values = withDefaults(def, node.attr);
  validateNode(def, { name, input: node.input, attr: values });
  const types = resolveTypes(def, values).outputs;
  const inputs: Output[] = [];
  const controlInputs: Node[] = [];
  const parts = {
    name,
    def,
    attrs: scope === '' ? node.attr : movedColocation(node, scope),
    device: node.device,
    inputs,
    controlInputs,
    outputs: (owner: Node) => types.map((type, i) => new Output(owner, i, outputType(name, type), undefined)),
  };
  return { node: new Node(graph, parts), def: node, inputs, controlInputs };
}

function movedColocation({ attr, name }: NodeDef, scope: string): NodeDef['attr'] {
  if (!attr['_class']) return attr;
  const groups = colocationGroups([{ attrs: attr, name }]);
  return { ...attr, _class: colocationAttr(groups.map((group) => scope + group)) };
}

function connect({ node, def, inputs, controlInputs }: Draft, drafts: ReadonlyMap<string, Draft>): void {
  for (const text of def.input) {
    const { node: name, output } = parseInputName(text);
    const source = drafts.get(name)?.node;
    if (!source) throw invalidArgument(`Node '${node.name}': Unknown input node '${text}'`);
    if (output === CONTROL) controlInputs.push(source);
    else inputs.push(source.output(output));
  }
}

/** In the order of the definition; what a loop's back edge would tell stays unknown. */
function setShapes(node: Node): void {
  const inputs = node.inputs.map((input) => ({ shape: input.shape, constant: constantValue(input) }));
  const attrs = new Attrs(withDefaults(node.def, node.attrs), node.name);
  const shapes = inferShapes(node.def, { node: node.name, attrs, inputs }, node.outputs.length);
  for (const [i, output] of node.outputs.entries()) output.setShape(shapes[i]);
}
