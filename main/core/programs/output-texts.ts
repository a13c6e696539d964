import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import { typeName } from '#proto/ops/attr-kind.ts';
import { withDefaults } from '#proto/ops/defaults.ts';
import { functionOpDef } from '#proto/ops/function-signature.ts';
import type { OpDef } from '#proto/ops/op-def.ts';
import { opDef } from '#proto/ops/registry.ts';
import { isFullyKnown } from '#proto/ops/shape-algebra.ts';
import type { ShapeInput } from '#proto/ops/shape-function.ts';
import { inferShapes, partialShapeText } from '#proto/ops/shape-inference.ts';
import { resolveTypes } from '#proto/ops/signature.ts';
import { Attrs, type PartialShape } from '#proto/wire/attr.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { fromTensorProto } from '#proto/wire/tensor-codec.ts';
import { CONTROL, parseInputName } from '#proto/wire/tensor-name.ts';

export interface OutputTexts {
  /** Of each output, by node: `float[2,?]`, or `float` when its shape is not known. Empty for a node that makes no sense. */
  readonly outputs: ReadonlyMap<string, readonly string[]>;
  /** Why types or shapes of some nodes are not known, in words. */
  readonly problems: readonly string[];
}

/** Shapes, axes and the like are short; a longer tensor is data. */
const MOST_ELEMENTS = 64;

interface Known {
  readonly types: readonly string[];
  readonly shapes: readonly PartialShape[];
  /** Elements of its only output, a short integer tensor, when these are known. */
  readonly constant: readonly number[] | undefined;
}

/** Types and static shapes of all outputs of a graph. What cannot be found out of one node leaves the others alone. */
export function outputTexts(def: GraphDef): OutputTexts {
  const functions = new Map(
    def.library?.function.flatMap(({ signature }) => (signature ? [[signature.name, functionOpDef(signature)]] : [])),
  );
  const known = new Map<string, Known>();
  const problems: string[] = [];
  for (const node of producersFirst(def.node)) {
    const tell = (error: unknown): void => void problems.push(`${node.name}: ${toStatusError(error).message}`);
    try {
      known.set(node.name, learn(node, opDef(node.op) ?? functions.get(node.op), { known, tell }));
    } catch (error) {
      tell(error);
    }
  }
  return {
    outputs: new Map([...known].map(([name, { types, shapes }]) => [name, types.map((type, i) => outputText(type, shapes[i]))])),
    problems,
  };
}

interface Learning {
  readonly known: ReadonlyMap<string, Known>;
  /** Hears why shapes are not known. */
  readonly tell: (error: unknown) => void;
}

/** Throws when not even the types can be found out. */
function learn(node: NodeDef, def: OpDef | undefined, { known, tell }: Learning): Known {
  if (!def) return { types: [], shapes: [], constant: undefined };
  const values = withDefaults(def, node.attr);
  const types = resolveTypes(def, values).outputs.map(({ dtype }) => typeName(dtype));
  const inputs = node.input.flatMap((text): ShapeInput[] => {
    const { node: source, output } = parseInputName(text);
    const from = known.get(source);
    return output === CONTROL ? [] : [{ shape: from?.shapes[output], constant: output === 0 ? from?.constant : undefined }];
  });
  try {
    const shapes = inferShapes(def, { node: node.name, attrs: new Attrs(values, node.name), inputs }, types.length);
    return { types, shapes, constant: constantOf(node, { types, inputs, shape: shapes[0] }) };
  } catch (error) {
    tell(error);
    return { types, shapes: [], constant: undefined };
  }
}

function constantOf({ op, attr }: NodeDef, { types: [type], inputs, shape }: ConstantContext): readonly number[] | undefined {
  if (type !== 'int32' && type !== 'int64') return undefined;
  if (op === 'Shape') return isFullyKnown(inputs[0]?.shape) ? inputs[0].shape : undefined;
  if (op === 'Pack') {
    const parts = inputs.map((input) => (input.shape?.length === 0 ? input.constant?.[0] : undefined));
    return parts.every((part) => part !== undefined) ? parts : undefined;
  }
  const value = attr['value']?.value;
  const count = shape?.reduce((product, size) => product * size, 1) ?? Number.POSITIVE_INFINITY;
  if (op !== 'Const' || value?.case !== 'tensor' || count > MOST_ELEMENTS) return undefined;
  return Array.from(fromTensorProto(value.value).data as ArrayLike<number | bigint>, Number);
}

interface ConstantContext {
  readonly types: readonly string[];
  readonly inputs: readonly ShapeInput[];
  readonly shape: PartialShape;
}

function outputText(type: string, shape: PartialShape): string {
  return shape ? `${type}${partialShapeText(shape)}` : type;
}

/** Nodes on a cycle, and those behind them, come last, in their own order. */
function producersFirst(nodes: readonly NodeDef[]): readonly NodeDef[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const sources = (node: NodeDef) => new Set(node.input.map((input) => parseInputName(input).node).filter((name) => byName.has(name)));
  const waitsFor = new Map(nodes.map((node) => [node, sources(node)]));
  const consumers = new Map<string, NodeDef[]>();
  for (const [node, names] of waitsFor) {
    for (const name of names) {
      const list = consumers.get(name);
      if (list) list.push(node);
      else consumers.set(name, [node]);
    }
  }
  const ready = new Set(nodes.filter((node) => waitsFor.get(node)?.size === 0));
  for (const node of ready) {
    for (const consumer of consumers.get(node.name) ?? []) {
      const waiting = waitsFor.get(consumer);
      waiting?.delete(node.name);
      if (waiting?.size === 0) ready.add(consumer);
    }
  }
  return [...ready, ...nodes.filter((node) => !ready.has(node))];
}
