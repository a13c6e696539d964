import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { AttrMap, OpDef } from '#proto/ops/op-def.ts';
import type { PartialShape } from '#proto/wire/attr.ts';
import type { DeviceSpec } from '#proto/wire/device-name.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { endpointName } from '#proto/wire/tensor-name.ts';
import type { AttrInput } from './attrs.ts';
import type { Value } from './values.ts';

/** One tensor that a node gives: where an edge starts. */
export class Output {
  readonly node: Node;
  /** Number of the output within its node. */
  readonly index: number;
  /** Element type; the base type when `isRef`. */
  readonly dtype: DType;
  /** A reference to a variable's buffer: ops that write (Assign, ApplyGradientDescent) need one. */
  readonly isRef: boolean;
  #shape: PartialShape;

  constructor(node: Node, index: number, type: { dtype: DType; isRef: boolean }, shape: PartialShape) {
    this.node = node;
    this.index = index;
    this.dtype = type.dtype;
    this.isRef = type.isRef;
    this.#shape = shape;
  }

  /** Static shape: -1 for a dimension of unknown size, undefined when the rank is unknown. */
  get shape(): PartialShape {
    return this.#shape;
  }

  /** States a shape that the library cannot infer. Nothing checks it against the run. */
  setShape(shape: PartialShape): void {
    this.#shape = shape;
  }

  /** `node:index`, the name that feeds and fetches use. */
  get name(): string {
    return endpointName(this.node.name, this.index);
  }

  get graph(): GraphBuilder {
    return this.node.graph;
  }
}

/** A node of a graph under construction. */
export class Node {
  readonly graph: GraphBuilder;
  readonly name: string;
  readonly def: OpDef;
  /** As given or inferred; attrs with their op's default may be missing. */
  readonly attrs: AttrMap;
  /** Device constraint; `''` when the master may choose. */
  readonly device: string;
  readonly inputs: readonly Output[];
  readonly controlInputs: readonly Node[];
  readonly outputs: readonly Output[];

  constructor(graph: GraphBuilder, parts: NodeParts) {
    this.graph = graph;
    this.name = parts.name;
    this.def = parts.def;
    this.attrs = parts.attrs;
    this.device = parts.device;
    this.inputs = parts.inputs;
    this.controlInputs = parts.controlInputs;
    this.outputs = parts.outputs(this);
  }

  /** Name of the op: `MatMul`. */
  get type(): string {
    return this.def.name;
  }

  /** One output. Throws INVALID_ARGUMENT when the node has no such output. */
  output(index = 0): Output {
    const output = this.outputs[index];
    if (!output) throw invalidArgument(`Node '${this.name}' (${this.type}) has ${this.outputs.length} outputs, none with number ${index}`);
    return output;
  }
}

export interface NodeParts {
  readonly name: string;
  readonly def: OpDef;
  readonly attrs: AttrMap;
  readonly device: string;
  readonly inputs: readonly Output[];
  readonly controlInputs: readonly Node[];
  outputs(node: Node): readonly Output[];
}

/** What stands for a tensor without being one: a variable. */
export abstract class TensorSource {
  /** The reference or the resource handle. */
  abstract readonly handle: Output;
  /** The value as a tensor, read when the step runs. */
  abstract value(): Output;
}

/** What an op takes as an input: a tensor of the graph, a variable, or a value that becomes a Const. */
export type TensorInput = Output | TensorSource | Value;

/** One input argument of an op; a list where the op takes any number of tensors. */
export type OpInput = TensorInput | readonly TensorInput[];

export interface OpOptions {
  /** Name of the new node within the current scope; made unique. Defaults to the op's name. */
  readonly name?: string;
  /** Device constraint, instead of what the device scopes say. */
  readonly device?: string;
}

/** Chooses a device for each new node; `device` is what inner scopes ask for already, and wins over the result. */
export type DeviceFunction = (node: { readonly name: string; readonly type: string; readonly device: string }) => string;

/** What a node of a control dependency may be given as. */
export type ControlInput = Node | Output | TensorSource;

/** Turns the inputs of nodes that are made inside a branch of a `cond`. */
export interface ControlFlowContext {
  /** The tensor to use inside instead of one from outside. */
  enter(output: Output): Output;
  /** Nodes without any input inside run only after this one. */
  readonly pivot: Node;
  /** Called for each node made inside. */
  own(node: Node): void;
}

/** The part of a graph that ops, gradients and optimizers are written against. */
export interface GraphBuilder {
  /** In order of creation. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** Graph-level seed; see `setRandomSeed`. */
  seed: number | undefined;

  /**
   * Makes a node. `inputs` has one entry per input argument of the op's definition. Type attrs and counts are inferred from
   * the inputs; plain numbers and arrays become Const nodes, whose dtype follows the other operands.
   *
   * @throws StatusError NOT_FOUND for an unknown op; INVALID_ARGUMENT when inputs, attrs or shapes do not fit the op.
   */
  op(type: string, inputs: readonly OpInput[], attrs?: Readonly<Record<string, AttrInput>>, options?: OpOptions): Node;
  /** A tensor of the graph for any input: outputs pass, variables are read, values become a Const of the wanted dtype. */
  convert(input: TensorInput, options?: { dtype?: DType; name?: string }): Output;

  /** Nodes made by `body` get this device; inner scopes refine outer ones. `null` drops the outer scopes. */
  device<T>(device: string | DeviceSpec | DeviceFunction | null, body: () => T): T;
  /** Nodes made by `body` are named `name/…`. The name is made unique; one that ends in `/` re-enters that scope, `''` leaves all. */
  nameScope<T>(name: string, body: (scope: string) => T): T;
  /** Nodes made by `body` run after all of `inputs`. `null` drops the outer scopes. */
  controlDependencies<T>(inputs: readonly ControlInput[] | null, body: () => T): T;
  /** Nodes made by `body` go where that node goes. */
  colocateWith<T>(target: ControlInput, body: () => T): T;
  /** Nodes made by `body` belong to a branch. For `cond`. */
  withContext<T>(context: ControlFlowContext | undefined, body: () => T): T;
  readonly context: ControlFlowContext | undefined;

  /** A name within the current scope that no node or scope has, reserved from now on. */
  uniqueName(name: string): string;
  /** Two seeds for a random op, by TensorFlow's rule for graph and op seeds. */
  seeds(opSeed?: number): { readonly seed: number; readonly seed2: number };
  /** Named lists that belong to the graph: `variables`, `trainable_variables`. */
  collection<T>(name: string): T[];

  /** The definition of all nodes, or of those made after the first `from`. Functions of an imported library always included. */
  toDef(from?: number): GraphDef;
}
