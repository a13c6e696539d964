import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { attrValue, emptyList, typeName } from '#proto/ops/attr-kind.ts';
import type { ArgDef, OpDef } from '#proto/ops/op-def.ts';
import { type DType, dtypeFromNumber, dtypeNumber, parseDType } from '#proto/wire/dtype.ts';
import type { Reference } from './document.ts';
import { type Problem, problem } from './problem.ts';
import type { TensorType } from './tensor-type.ts';

/** A tensor that is connected, and what is known of it. */
export interface TypedInput {
  readonly reference: Reference;
  readonly type: TensorType;
}

export interface Bound {
  /** The attrs that were given and those that follow from the inputs. */
  readonly attrs: Readonly<Record<string, AttrValue>>;
  readonly problems: readonly Problem[];
}

/** Finds the attrs that hold types and counts from what is connected so far, and what does not go together. */
export function bindTypes(
  node: string,
  def: OpDef,
  given: Readonly<Record<string, AttrValue>>,
  inputs: readonly (readonly TypedInput[])[],
): Bound {
  const attrs: Record<string, AttrValue> = { ...given };
  const problems: Problem[] = [];
  for (const [i, arg] of def.inputs.entries()) inferAttrs(arg, inputs[i] ?? [], attrs);
  for (const [i, arg] of def.inputs.entries()) {
    for (const [k, input] of (inputs[i] ?? []).entries()) {
      const found = inputProblem({ node, def, arg, position: k, attrs, given, inputs }, input);
      if (found && !problems.some(({ code }) => code === 'sameType' && found.code === 'sameType')) problems.push(found);
    }
  }
  return { attrs, problems };
}

function inferAttrs(arg: ArgDef, inputs: readonly TypedInput[], attrs: Record<string, AttrValue>): void {
  const known = inputs.find(({ type }) => type.dtype)?.type.dtype;
  if (arg.typeAttr !== undefined && known) attrs[arg.typeAttr] ??= attrValue({ case: 'type', value: dtypeNumber(known) });
  if (arg.numberAttr !== undefined && inputs.length > 0) attrs[arg.numberAttr] ??= attrValue({ case: 'i', value: BigInt(inputs.length) });
  if (arg.typeListAttr === undefined || inputs.length === 0) return;
  const types = inputs.map(({ type }) => type.dtype);
  if (types.some((dtype) => dtype === undefined)) return;
  const numbers = types.map((dtype) => dtypeNumber(dtype ?? 'float'));
  attrs[arg.typeListAttr] ??= attrValue({ case: 'list', value: { ...emptyList(), type: numbers } });
}

interface Place {
  readonly node: string;
  readonly def: OpDef;
  readonly arg: ArgDef;
  /** Within the argument. */
  readonly position: number;
  readonly attrs: Readonly<Record<string, AttrValue>>;
  readonly given: Readonly<Record<string, AttrValue>>;
  readonly inputs: readonly (readonly TypedInput[])[];
}

function inputProblem(place: Place, { reference: input, type }: TypedInput): Problem | undefined {
  const { node, def, arg } = place;
  const dtype = type.dtype;
  if (!dtype) return undefined;
  const wanted = declaredType(place);
  if (wanted && wanted !== dtype) {
    const isFree = arg.typeAttr !== undefined && place.given[arg.typeAttr] === undefined;
    if (isFree) return problem('sameType', node, { list: sameTypeList(place, arg.typeAttr) });
    return problem('wrongType', node, { slot: arg.name, wanted, input, given: dtype });
  }
  if (arg.isRef && !type.isRef) return problem('wantsVariable', node, { slot: arg.name, input });
  const allowed = def.attrs.find(({ name }) => name === arg.typeAttr)?.allowed;
  const name = typeName(dtypeNumber(dtype));
  if (!allowed || allowed.includes(name)) return undefined;
  return problem('notAllowed', node, { given: name, input, op: def.name, allowed: shortList(allowed) });
}

function declaredType({ arg, position, attrs }: Place): DType | undefined {
  if (arg.type !== undefined) return parseDType(arg.type);
  const attr = attrs[arg.typeAttr ?? arg.typeListAttr ?? '']?.value;
  if (attr?.case === 'type') return dtypeFromNumber(attr.value);
  return attr?.case === 'list' ? dtypeFromNumber(attr.value.type[position] ?? 0) : undefined;
}

/** `x is float, n is int32`. */
function sameTypeList({ def, inputs }: Place, typeAttr: string | undefined): string {
  const together = def.inputs.flatMap((arg, i) => (arg.typeAttr === typeAttr ? (inputs[i] ?? []) : []));
  const texts = together.flatMap(({ reference, type }) => (type.dtype ? [`${reference} is ${type.dtype}`] : []));
  return [...new Set(texts)].join(', ');
}

const SHOWN_TYPES = 6;

function shortList(types: readonly string[]): string {
  return types.length > SHOWN_TYPES ? `${types.slice(0, SHOWN_TYPES).join(', ')}…` : types.join(', ');
}
