import { clone, create } from '@bufbuild/protobuf';
import type { FunctionDefLibrary } from '#proto/generated/tensorflow/function_pb.ts';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { type NodeDef, NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import type { VersionDef } from '#proto/generated/tensorflow/versions_pb.ts';
import { withDefaults } from '#proto/ops/defaults.ts';
import type { OpDef } from '#proto/ops/op-def.ts';
import { summarizeOp } from '#proto/ops/op-summary.ts';
import { opDef } from '#proto/ops/registry.ts';
import { resolveTypes, type TensorArg, typingAttrs } from '#proto/ops/signature.ts';
import { validateNode } from '#proto/ops/validate-node.ts';
import { Attrs } from '#proto/wire/attr.ts';
import { type DType, dtypeFromNumber } from '#proto/wire/dtype.ts';
import { invalidArgument, notFound } from '#proto/wire/status.ts';
import { CONTROL, parseInputName } from '#proto/wire/tensor-name.ts';
import { onBehalfOf } from './on-behalf-of.ts';

/** One output of one node: where an edge starts. */
export interface Endpoint {
  readonly node: GraphNode;
  readonly output: number;
}

/** Type of one input or output. `isRef`: a reference to a variable travels there. */
export interface TypeSpec {
  readonly dtype: DType;
  readonly isRef: boolean;
}

/** A node of a graph, resolved against its op's definition. Only `device` changes, when the placer or a partitioner sets it. */
export interface GraphNode {
  readonly name: string;
  readonly def: OpDef;
  /** Op defaults filled in. */
  readonly attrs: Attrs;
  /** As the client wrote it, `''` when nowhere in particular. */
  readonly requestedDevice: string;
  /** Full device name once placed; `''` before. */
  device: string;
  readonly inputs: readonly Endpoint[];
  readonly controlInputs: readonly GraphNode[];
  readonly inputTypes: readonly TypeSpec[];
  readonly outputTypes: readonly TypeSpec[];
  /** As received: unknown fields and free-form attrs included. Never changed. */
  readonly proto: NodeDef;
}

export interface GraphOptions {
  /** Named in "Op type not registered": the task that does not know the op. */
  readonly where: string;
}

/**
 * A dataflow graph whose edges are resolved. Immutable but for the nodes' `device`; `extend` makes a new one that shares
 * the old nodes. All problems of the definition are StatusErrors that name the node: unknown op (NOT_FOUND), missing
 * input, wrong number or types of inputs, duplicate name, missing attr (INVALID_ARGUMENT; NOT_FOUND, as in TensorFlow, for one that
 * decides about types). It is also the detail `node`.
 */
export class Graph {
  /** In the order of the definition; loop back-edges make it no topological order. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly library: FunctionDefLibrary | undefined;
  readonly versions: VersionDef | undefined;

  private constructor(nodes: ReadonlyMap<string, GraphNode>, library: FunctionDefLibrary | undefined, versions: VersionDef | undefined) {
    this.nodes = nodes;
    this.library = library;
    this.versions = versions;
  }

  static fromDef(def: GraphDef, options: GraphOptions): Graph {
    return new Graph(resolveNodes(def.node, new Map(), options), def.library, def.versions);
  }

  /** This graph and further nodes, which may use the old ones as inputs. The old nodes keep their placement. */
  extend(def: GraphDef, options: GraphOptions): Graph {
    return new Graph(resolveNodes(def.node, this.nodes, options), def.library ?? this.library, def.versions ?? this.versions);
  }

  node(name: string): GraphNode | undefined {
    return this.nodes.get(name);
  }

  /** A definition with the placement written into each node's device. */
  toDef(): GraphDef {
    const node = [...this.nodes.values()].map((each) => {
      const proto = clone(NodeDefSchema, each.proto);
      proto.device = each.device || each.requestedDevice;
      return proto;
    });
    return create(GraphDefSchema, {
      node,
      ...(this.library ? { library: this.library } : {}),
      ...(this.versions ? { versions: this.versions } : {}),
    });
  }
}

interface Draft extends GraphNode {
  readonly inputs: Endpoint[];
  readonly controlInputs: GraphNode[];
}

function resolveNodes(defs: readonly NodeDef[], old: ReadonlyMap<string, GraphNode>, options: GraphOptions): Map<string, GraphNode> {
  const nodes = new Map<string, GraphNode>(old);
  const drafts: Draft[] = [];
  for (const proto of defs) {
    if (nodes.has(proto.name)) throw invalidArgument(`Node '${proto.name}' is not unique`, { details: { node: proto.name } });
    const draft = onBehalfOf(proto.name, () => resolveNode(proto, options));
    drafts.push(draft);
    nodes.set(draft.name, draft);
  }
  for (const draft of drafts) onBehalfOf(draft.name, () => connect(draft, nodes));
  return nodes;
}

function resolveNode(proto: NodeDef, { where }: GraphOptions): Draft {
  const def = opDef(proto.op);
  if (!def) {
    throw notFound(
      `Op type not registered '${proto.op}' in binary running on ${where} (node '${proto.name}'). ` +
        'Make sure the Op and Kernel are registered in the binary running in this process.',
    );
  }
  const values = withDefaults(def, proto.attr);
  const untyped = typingAttrs(def).find((name) => !values[name]);
  if (untyped !== undefined) throw notFound(`No attr named '${untyped}' in NodeDef: ${summarizeOp(def)}; {{node ${proto.name}}}`);
  validateNode(def, { name: proto.name, input: proto.input, attr: values });
  const { inputs, outputs } = resolveTypes(def, values);
  const typeSpec = ({ dtype, isRef }: TensorArg): TypeSpec => ({ dtype: supportedType(dtype, proto.name), isRef });
  return {
    name: proto.name,
    def,
    attrs: new Attrs(values, proto.name),
    requestedDevice: proto.device,
    device: '',
    inputs: [],
    controlInputs: [],
    inputTypes: inputs.map(typeSpec),
    outputTypes: outputs.map(typeSpec),
    proto,
  };
}

function supportedType(number: number, node: string): DType {
  const dtype = dtypeFromNumber(number);
  if (dtype === undefined) throw invalidArgument(`Node '${node}' uses data type ${number}, which is not supported`);
  return dtype;
}

function connect(draft: Draft, nodes: ReadonlyMap<string, GraphNode>): void {
  for (const text of draft.proto.input) {
    const { node: name, output } = parseInputName(text);
    const source = nodes.get(name);
    if (!source) throw invalidArgument(`Node '${draft.name}': Unknown input node '${text}'`);
    if (output === CONTROL) draft.controlInputs.push(source);
    else draft.inputs.push(checkedEdge(draft, source, output));
  }
}

function checkedEdge(draft: Draft, source: GraphNode, output: number): Endpoint {
  const index = draft.inputs.length;
  const produced = source.outputTypes[output];
  const wanted = draft.inputTypes[index];
  if (!produced) {
    throw invalidArgument(
      `Node '${draft.name}': Connecting to invalid output ${output} of source node ${source.name} which has ${source.outputTypes.length} outputs.`,
    );
  }
  if (wanted && (produced.dtype !== wanted.dtype || (wanted.isRef && !produced.isRef))) {
    throw invalidArgument(
      `Input ${index} of node ${draft.name} was passed ${typeText(produced)} from ${source.name}:${output} incompatible with expected ${typeText(wanted)}.`,
    );
  }
  return { node: source, output };
}

function typeText({ dtype, isRef }: TypeSpec): string {
  return isRef ? `${dtype}_ref` : dtype;
}
