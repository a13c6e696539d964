import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { typeName } from '#proto/ops/attr-kind.ts';
import type { ArgDef, OpDef } from '#proto/ops/op-def.ts';
import { type DType, dtypeFromNumber, dtypeNumber, parseDType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { intAttr, typeAttr, typeListAttr } from './attrs.ts';
import { type OpInput, Output, type TensorInput, TensorSource } from './node.ts';
import { explicitDType } from './values.ts';

type Attrs = Record<string, AttrValue>;
/** Makes a Const of a plain value; `name` is that of the input argument. */
export type MakeConst = (value: TensorInput, dtype: DType | undefined, name: string) => Output;

export interface BoundInputs {
  readonly inputs: readonly Output[];
  /** The attrs that were given and those that follow from the inputs. */
  readonly attrs: Attrs;
}

/**
 * Fits inputs to an op: infers the attrs that hold types and counts, turns plain values into Consts of the right dtype.
 * Tensors decide types before values do, whatever their order. Throws INVALID_ARGUMENT when something does not fit.
 */
export function bindInputs(def: OpDef, given: readonly OpInput[], attrs: Attrs, makeConst: MakeConst): BoundInputs {
  if (given.length !== def.inputs.length) {
    const names = def.inputs.map(({ name }) => name).join(', ');
    throw invalidArgument(`Op '${def.name}' takes ${def.inputs.length} inputs (${names}), but ${given.length} were given`);
  }
  const args = def.inputs.map((arg, i) => ({ arg, items: itemsOf(def, arg, given[i] as OpInput).map((item) => unwrap(arg, item)) }));
  const known: Attrs = { ...attrs };
  for (const { arg, items } of args) inferFromTensors(arg, items, known);
  const inputs = args.flatMap(({ arg, items }) => {
    const outputs = items.map((item, i) =>
      item instanceof Output ? item : makeConst(item, wantedType(def, arg, item, i, known), constName(arg, i)),
    );
    inferFromTensors(arg, outputs, known);
    setCounts(arg, outputs, known);
    for (const [i, output] of outputs.entries()) checkType(def, arg, output, i, known);
    return outputs;
  });
  return { inputs, attrs: known };
}

function isList(arg: ArgDef): boolean {
  return arg.numberAttr !== undefined || arg.typeListAttr !== undefined;
}

function itemsOf(def: OpDef, arg: ArgDef, input: OpInput): readonly TensorInput[] {
  if (!isList(arg)) return [input as TensorInput];
  if (Array.isArray(input)) return input as readonly TensorInput[];
  throw invalidArgument(`Input '${arg.name}' of '${def.name}' takes a list of tensors`);
}

/** A variable by its handle where the op wants to write or look it up, else by its value. */
function unwrap(arg: ArgDef, item: TensorInput): Output | Exclude<TensorInput, TensorSource> {
  if (!(item instanceof TensorSource)) return item;
  return arg.isRef || arg.type === 'resource' ? item.handle : item.value();
}

function inferFromTensors(arg: ArgDef, items: readonly TensorInput[], known: Attrs): void {
  const tensor = items.find((item) => item instanceof Output);
  if (arg.typeAttr !== undefined && tensor instanceof Output) known[arg.typeAttr] ??= typeAttr(dtypeNumber(tensor.dtype));
}

function setCounts(arg: ArgDef, outputs: readonly Output[], known: Attrs): void {
  if (arg.numberAttr !== undefined) known[arg.numberAttr] ??= intAttr(outputs.length);
  if (arg.typeListAttr !== undefined) known[arg.typeListAttr] ??= typeListAttr(outputs.map(({ dtype }) => dtypeNumber(dtype)));
}

/** The type that the attrs so far demand of an input; undefined when they leave it open. */
function declaredType(arg: ArgDef, index: number, known: Attrs): DType | undefined {
  if (arg.type !== undefined) return parseDType(arg.type);
  const attr = known[arg.typeAttr ?? arg.typeListAttr ?? '']?.value;
  if (attr?.case === 'type') return dtypeFromNumber(attr.value);
  return attr?.case === 'list' ? dtypeFromNumber(attr.value.type[index] ?? 0) : undefined;
}

function wantedType(
  def: OpDef,
  arg: ArgDef,
  value: Exclude<TensorInput, TensorSource | Output>,
  index: number,
  known: Attrs,
): DType | undefined {
  const declared = declaredType(arg, index, known);
  if (declared !== undefined) return declared;
  const explicit = explicitDType(value);
  if (explicit !== undefined || arg.typeAttr === undefined) return explicit;
  const attr = def.attrs.find(({ name }) => name === arg.typeAttr);
  if (attr?.default?.value.case === 'type') return dtypeFromNumber(attr.default.value.value);
  // A plain number is float, unless the op only takes integers.
  return attr?.allowed && !attr.allowed.includes('float') && attr.allowed.includes('int32') ? 'int32' : undefined;
}

function constName(arg: ArgDef, index: number): string {
  return isList(arg) ? `${arg.name}_${index}` : arg.name;
}

function checkType(def: OpDef, arg: ArgDef, output: Output, index: number, known: Attrs): void {
  const declared = declaredType(arg, index, known);
  if (declared !== undefined && declared !== output.dtype) {
    const why = arg.type === undefined ? `type ${declared} of attr '${arg.typeAttr ?? arg.typeListAttr}'` : `expected type of ${arg.type}`;
    throw invalidArgument(`Input '${arg.name}' of '${def.name}' Op has type ${output.dtype} that does not match ${why}.`);
  }
  if (arg.isRef && !output.isRef) {
    throw invalidArgument(`Input '${arg.name}' of '${def.name}' Op requires a reference to a variable, but ${output.name} is a value`);
  }
  const allowed = def.attrs.find(({ name }) => name === arg.typeAttr)?.allowed;
  const text = typeName(dtypeNumber(output.dtype));
  if (allowed && !allowed.includes(text)) {
    throw invalidArgument(
      `Value passed to parameter '${arg.name}' of '${def.name}' Op has type ${text} not in list of allowed values: ${allowed.join(', ')}`,
    );
  }
}
