import { create } from '@bufbuild/protobuf';
import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { FunctionDefLibrary } from '#proto/generated/tensorflow/function_pb.ts';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { withDefaults } from '#proto/ops/defaults.ts';
import { functionOpDef } from '#proto/ops/function-signature.ts';
import type { OpDef } from '#proto/ops/op-def.ts';
import { opDef } from '#proto/ops/registry.ts';
import { inferShapes } from '#proto/ops/shape-inference.ts';
import { resolveTypes, type TensorArg } from '#proto/ops/signature.ts';
import { validateNode } from '#proto/ops/validate-node.ts';
import { Attrs, type PartialShape } from '#proto/wire/attr.ts';
import type { DeviceSpec } from '#proto/wire/device-name.ts';
import { type DType, dtypeFromNumber } from '#proto/wire/dtype.ts';
import { invalidArgument, notFound } from '#proto/wire/status.ts';
import { formatInputName } from '#proto/wire/tensor-name.ts';
import { type AttrInput, colocationAttr, toAttrValue } from './attrs.ts';
import { colocationGroups } from './colocation.ts';
import { constantValue } from './constant-value.ts';
import { ControlScopes } from './control-scopes.ts';
import { DeviceScopes } from './device-scopes.ts';
import { NameScopes } from './name-scopes.ts';
import {
  type ControlFlowContext,
  type ControlInput,
  type DeviceFunction,
  type GraphBuilder,
  Node,
  type OpInput,
  type OpOptions,
  Output,
  type TensorInput,
  TensorSource,
} from './node.ts';
import { GRAPH_PRODUCER, toNodeDef } from './node-def.ts';
import { type BoundInputs, bindInputs } from './op-inputs.ts';
import { SeedSequence } from './seeds.ts';
import { toTensor, type Value } from './values.ts';

type AttrInputs = Readonly<Record<string, AttrInput>>;

/** A graph under construction, without the named op functions that `Graph` adds. */
export class BaseGraph implements GraphBuilder {
  readonly #nodes = new Map<string, Node>();
  readonly #names = new NameScopes();
  readonly #devices = new DeviceScopes();
  readonly #controls = new ControlScopes();
  readonly #collections = new Map<string, unknown[]>();
  readonly #seeds = new SeedSequence();
  #colocated: readonly Node[] = [];
  #context: ControlFlowContext | undefined;
  #library: FunctionDefLibrary | undefined;
  #functions = new Map<string, OpDef>();
  seed: number | undefined;

  get nodes(): ReadonlyMap<string, Node> {
    return this.#nodes;
  }

  get context(): ControlFlowContext | undefined {
    return this.#context;
  }

  op(type: string, inputs: readonly OpInput[], attrs: AttrInputs = {}, options: OpOptions = {}): Node {
    const def = this.definition(type);
    const name = this.#names.unique(options.name ?? type);
    const bound = this.#names.within(name, () => {
      const { inputs: given, attrs: known } = bindInputs(def, inputs, attrValues(def, attrs), (value, dtype, argName) =>
        this.convert(value, { name: argName, ...(dtype && { dtype }) }),
      );
      return { inputs: given.map((input) => this.#context?.enter(input) ?? input), attrs: known };
    });
    const node = this.#create(def, name, bound, options.device);
    this.addNode(node);
    this.#controls.add(node);
    this.#context?.own(node);
    return node;
  }

  /** The definition of an op or of a function of the library. Throws NOT_FOUND for other names. */
  definition(type: string): OpDef {
    const def = opDef(type) ?? this.#functions.get(type);
    if (!def) throw notFound(`Op type not registered '${type}': it is neither a TensorFlow op nor a function of this graph's library`);
    return def;
  }

  /** Adds a finished node under its own name. Throws INVALID_ARGUMENT when the name is taken. */
  addNode(node: Node): void {
    if (this.#nodes.has(node.name)) throw invalidArgument(`Node name '${node.name}' already exists in the graph`);
    this.#nodes.set(node.name, node);
  }

  reserveName(name: string): void {
    this.#names.reserve(name);
  }

  /** Takes over the functions of an imported graph. */
  addLibrary(library: FunctionDefLibrary): void {
    this.#library = this.#library
      ? {
          ...this.#library,
          function: [...this.#library.function, ...library.function],
          gradient: [...this.#library.gradient, ...library.gradient],
        }
      : library;
    for (const { signature } of library.function) if (signature) this.#functions.set(signature.name, functionOpDef(signature));
  }

  convert(input: TensorInput, { dtype, name = 'Const' }: { dtype?: DType; name?: string } = {}): Output {
    const output = input instanceof TensorSource ? input.value() : input;
    if (!(output instanceof Output)) {
      const tensor = toTensor(output as Value, dtype);
      return this.op('Const', [], { dtype: tensor.dtype, value: tensor }, { name }).output();
    }
    if (output.graph !== this) throw invalidArgument(`Tensor ${output.name} belongs to another graph`);
    if (dtype !== undefined && output.dtype !== dtype) {
      throw invalidArgument(`Tensor ${output.name} has type ${output.dtype}, but type ${dtype} is wanted; cast it first`);
    }
    return output;
  }

  device<T>(device: string | DeviceSpec | DeviceFunction | null, body: () => T): T {
    return this.#devices.within(device, body);
  }

  nameScope<T>(name: string, body: (scope: string) => T): T {
    const scope = name === '' ? '' : this.#names.unique(name);
    return this.#names.within(scope, () => body(scope));
  }

  controlDependencies<T>(inputs: readonly ControlInput[] | null, body: () => T): T {
    return this.#controls.within(inputs?.map(nodeOf) ?? null, body);
  }

  colocateWith<T>(target: ControlInput, body: () => T): T {
    const outer = this.#colocated;
    this.#colocated = [...outer, nodeOf(target)];
    try {
      // Colocation is stronger than device scopes, as in TensorFlow.
      return this.#devices.within(null, body);
    } finally {
      this.#colocated = outer;
    }
  }

  withContext<T>(context: ControlFlowContext | undefined, body: () => T): T {
    const outer = this.#context;
    this.#context = context;
    try {
      return this.#controls.within(null, body);
    } finally {
      this.#context = outer;
    }
  }

  uniqueName(name: string): string {
    return this.#names.unique(name);
  }

  seeds(opSeed?: number): { readonly seed: number; readonly seed2: number } {
    return this.#seeds.next(this.seed, opSeed);
  }

  collection<T>(name: string): T[] {
    const list = this.#collections.get(name) ?? [];
    this.#collections.set(name, list);
    return list as T[];
  }

  toDef(from = 0): GraphDef {
    const node = [...this.#nodes.values()].slice(from).map(toNodeDef);
    return create(GraphDefSchema, { node, versions: { producer: GRAPH_PRODUCER }, ...(this.#library && { library: this.#library }) });
  }

  #create(def: OpDef, name: string, { attrs, inputs }: BoundInputs, device: string | undefined): Node {
    const values = withDefaults(def, attrs);
    validateNode(def, { name, input: inputs.map(({ node, index }) => formatInputName({ node: node.name, output: index })), attr: values });
    const resolved = resolveTypes(def, values);
    const types = resolved.outputs;
    const shapes = this.#shapes(def, name, values, inputs, types.length);
    const controlInputs = this.#controls.inputsFor(inputs);
    if (this.#context && inputs.length + controlInputs.length === 0) controlInputs.push(this.#context.pivot);
    // An op that writes to a variable goes where the variable is, whatever the device scopes say.
    const written = inputs.filter((_, i) => resolved.inputs[i]?.isRef).map(({ node }) => node);
    const colocated = [...this.#colocated, ...written];
    return new Node(this, {
      name,
      def,
      attrs: colocated.length > 0 ? { ...attrs, _class: colocationAttr(colocationGroups(colocated)) } : attrs,
      device: device ?? this.#deviceFor(name, def, colocated),
      inputs,
      controlInputs,
      outputs: (node) => types.map((type, i) => new Output(node, i, outputType(name, type), shapes[i])),
    });
  }

  #deviceFor(name: string, def: OpDef, colocated: readonly Node[]): string {
    if (colocated.length === 0) return this.#devices.deviceFor({ name, type: def.name });
    return colocated.find((node) => node.device !== '')?.device ?? '';
  }

  #shapes(def: OpDef, name: string, values: Record<string, AttrValue>, inputs: readonly Output[], count: number): PartialShape[] {
    const known = inputs.map((input) => ({ shape: input.shape, constant: constantValue(input) }));
    return inferShapes(def, { node: name, attrs: new Attrs(values, name), inputs: known }, count);
  }
}

export function nodeOf(input: ControlInput): Node {
  if (input instanceof Node) return input;
  return input instanceof TensorSource ? input.handle.node : input.node;
}

export function outputType(node: string, { dtype, isRef }: TensorArg): { dtype: DType; isRef: boolean } {
  const known = dtypeFromNumber(dtype);
  if (known === undefined) throw invalidArgument(`Node '${node}' gives a tensor of data type ${dtype}, which is not supported`);
  return { dtype: known, isRef };
}

function attrValues(def: OpDef, inputs: AttrInputs): Record<string, AttrValue> {
  const values: Record<string, AttrValue> = {};
  for (const [name, input] of Object.entries(inputs)) {
    const attr = def.attrs.find((each) => each.name === name);
    if (!attr) {
      const known = def.attrs.map((each) => each.name).join(', ') || 'none';
      throw invalidArgument(`Op '${def.name}' has no attr '${name}'; its attrs are: ${known}`);
    }
    values[name] = toAttrValue(attr, input);
  }
  return values;
}
