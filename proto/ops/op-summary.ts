import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { TensorProto } from '#proto/generated/tensorflow/tensor_pb.ts';
import type { TensorShapeProto } from '#proto/generated/tensorflow/tensor_shape_pb.ts';
import type { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { elementKind, listElements, typeName } from './attr-kind.ts';
import type { ArgDef, AttrDef, OpDef, ScalarKind } from './op-def.ts';

/** A signature as TensorFlow quotes it in errors: `Op<name=AddN; signature=inputs:N*T -> sum:T; attr=N:int,min=1; …>`. */
export function summarizeOp(def: OpDef): string {
  const parts = [`name=${def.name}`, `signature=${args(def.inputs)} -> ${args(def.outputs)}`, ...def.attrs.map(attrText)];
  if (def.isCommutative) parts.push('is_commutative=true');
  if (def.isAggregate) parts.push('is_aggregate=true');
  if (def.isStateful) parts.push('is_stateful=true');
  if (def.allowsUninitializedInput) parts.push('allows_uninitialized_input=true');
  if (def.isDistributedCommunication) parts.push('is_distributed_communication=true');
  return `Op<${parts.join('; ')}>`;
}

/** What goes in and comes out: `AddN(inputs:N*T) -> sum:T`. */
export function opSignature({ name, inputs, outputs }: OpDef): string {
  return `${name}(${args(inputs)}) -> ${args(outputs) || 'nothing'}`;
}

function args(defs: readonly ArgDef[]): string {
  return defs.map(argText).join(', ');
}

/** TensorFlow leaves the type of a `typeListAttr` argument blank. */
function argText({ name, type, typeAttr, numberAttr, isRef }: ArgDef): string {
  const element = `${numberAttr ? `${numberAttr}*` : ''}${type ?? typeAttr ?? ''}`;
  return `${name}:${isRef ? `Ref(${element})` : element}`;
}

function attrText({ name, type, default: value, minimum, allowed }: AttrDef): string {
  let text = `attr=${name}:${type}`;
  if (value) text += `,default=${valueText(elementKind(type), value)}`;
  if (minimum !== undefined) text += `,min=${minimum}`;
  if (allowed) text += `,allowed=[${allowed.map((item) => allowedText(elementKind(type), item)).join(', ')}]`;
  return text;
}

function allowedText(kind: ScalarKind, item: string): string {
  return kind === 'type' ? `DT_${item.toUpperCase()}` : JSON.stringify(item);
}

function valueText(kind: ScalarKind, { value }: AttrValue): string {
  if (value.case !== 'list') return scalarTexts[kind](value.value);
  return `[${listElements(value.value).map(scalarTexts[kind]).join(', ')}]`;
}

const scalarTexts: Readonly<Record<ScalarKind, (value: unknown) => string>> = {
  string: (value) => JSON.stringify(new TextDecoder().decode(value as Uint8Array)),
  int: String,
  float: (value) => floatText(value as number),
  bool: String,
  type: (value) => `DT_${typeName(value as DataType).toUpperCase()}`,
  shape: (value) => shapeText(value as TensorShapeProto),
  tensor: (value) => tensorText(value as TensorProto),
  func: (value) => (value as { name: string }).name,
};

/** Up to six digits, the way C prints `%g`. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const rounded = Number(value.toPrecision(6));
  const magnitude = Math.abs(rounded);
  if (rounded === 0 || (magnitude >= 1e-4 && magnitude < 1e6)) return String(rounded);
  const [mantissa, sign, exponent = ''] = rounded.toExponential().split(/e([+-])/);
  return `${mantissa}e${sign}${exponent.padStart(2, '0')}`;
}

function shapeText({ dim, unknownRank }: TensorShapeProto): string {
  return unknownRank ? '<unknown>' : `[${dim.map(({ size }) => (size < 0n ? '?' : String(size))).join(',')}]`;
}

/** Shows the first few values. */
function tensorText({ dtype, tensorShape, intVal }: TensorProto): string {
  const shape = tensorShape ? shapeText(tensorShape) : '[]';
  const values = intVal.slice(0, 3).join(' ') + (intVal.length > 3 ? '...' : '');
  return `Tensor<type: ${typeName(dtype)} shape: ${shape} values: ${values}>`;
}
