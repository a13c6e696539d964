import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { internal, invalidArgument } from '#proto/wire/status.ts';
import { checkAttr } from './attr-check.ts';
import { type AttrCase, typeFromName } from './attr-kind.ts';
import type { ArgDef, AttrMap, OpDef } from './op-def.ts';
import { summarizeOp } from './op-summary.ts';

/** One tensor of a node, in or out. */
export interface TensorArg {
  /** Name of the argument the tensor belongs to; several tensors in a row share it when the argument is a run. */
  readonly arg: string;
  /** Element type, never a reference type. */
  readonly dtype: DataType;
  /** The tensor is a reference to a variable's buffer. */
  readonly isRef: boolean;
}

/** The tensors of one node. The position is the input or output index. */
export interface NodeTypes {
  readonly inputs: readonly TensorArg[];
  readonly outputs: readonly TensorArg[];
}

/**
 * Tensors that a node with these attrs takes and gives. Attrs that are left out count with their default. Throws
 * INVALID_ARGUMENT when an attr that decides a type or a number is missing or has no legal value; other attrs are not
 * looked at.
 */
export function resolveTypes(def: OpDef, attrs: AttrMap): NodeTypes {
  const expand = (arg: ArgDef): TensorArg[] => {
    const tensor = (dtype: DataType): TensorArg => ({ arg: arg.name, dtype, isRef: arg.isRef ?? false });
    return argTypes(def, arg, attrs).map(tensor);
  };
  return { inputs: def.inputs.flatMap(expand), outputs: def.outputs.flatMap(expand) };
}

/** A node with more than this many tensors in one argument is a mistake, and writing them out would take all memory. */
const MAX_TENSORS = 2 ** 20;

function argTypes(def: OpDef, arg: ArgDef, attrs: AttrMap): readonly DataType[] {
  if (arg.typeListAttr !== undefined) return readAttr(def, attrs, arg.typeListAttr, 'list').type;
  const count = arg.numberAttr === undefined ? 1 : Number(readAttr(def, attrs, arg.numberAttr, 'i'));
  if (count < 0) throw invalidArgument(`Attr '${arg.numberAttr}' of ${def.name} counts tensors, but is ${count}`);
  if (count > MAX_TENSORS) throw invalidArgument(`Number of tensors of ${def.name} is too big: ${arg.numberAttr} is ${count}`);
  const type = arg.typeAttr === undefined ? fixedType(def, arg) : readAttr(def, attrs, arg.typeAttr, 'type');
  return new Array<DataType>(count).fill(type);
}

/** Names of the attrs that decide how many inputs and outputs there are, and of which types. */
export function typingAttrs(def: OpDef): readonly string[] {
  const args = [...def.inputs, ...def.outputs];
  return args.flatMap(({ typeAttr, numberAttr, typeListAttr }) =>
    [typeAttr, numberAttr, typeListAttr].filter((name) => name !== undefined),
  );
}

function fixedType(def: OpDef, arg: ArgDef): DataType {
  if (arg.type === undefined) throw internal(`Argument '${arg.name}' of ${def.name} has no type`);
  return typeFromName(arg.type);
}

type ValueOf<C extends AttrCase['case']> = Extract<AttrCase, { case: C }>['value'];

function readAttr<C extends 'list' | 'i' | 'type'>(def: OpDef, attrs: AttrMap, name: string, kind: C): ValueOf<C> {
  const attr = def.attrs.find((candidate) => candidate.name === name);
  const given: AttrValue | undefined = attrs[name] ?? attr?.default;
  if (!attr || !given) throw invalidArgument(`NodeDef missing attr '${name}' from ${summarizeOp(def)}`);
  checkAttr(attr, given);
  if (given.value.case !== kind) throw invalidArgument(`AttrValue had value with unexpected type '${given.value.case}'`);
  return given.value.value as ValueOf<C>;
}
