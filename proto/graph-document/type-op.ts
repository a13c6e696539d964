import { typeFromName } from '#proto/ops/attr-kind.ts';
import { withDefaults } from '#proto/ops/defaults.ts';
import type { ArgDef, OpDef } from '#proto/ops/op-def.ts';
import { isFullyKnown } from '#proto/ops/shape-algebra.ts';
import { inferShapes, partialShapeText } from '#proto/ops/shape-inference.ts';
import { Attrs, type PartialShape } from '#proto/wire/attr.ts';
import { dtypeFromNumber } from '#proto/wire/dtype.ts';
import { StatusError, toStatusError } from '#proto/wire/status.ts';
import { attrFromJson, isTensorJson } from './attr-json.ts';
import type { OpNode } from './document.ts';
import { type Bound, bindTypes, type TypedInput } from './op-types.ts';
import { type Problem, problem } from './problem.ts';
import { constantOf, type TensorType, unknownType } from './tensor-type.ts';
import { elementsOf } from './tensor-value.ts';

export interface OpTyping {
  readonly outputs: readonly TensorType[];
  /** Names of the outputs; those of a list share one. */
  readonly outputNames: readonly string[];
  readonly problems: readonly Problem[];
}

/** What an op makes of its inputs: one list of tensors for each argument. */
export function typeOp(node: Pick<OpNode, 'name' | 'attrs'>, def: OpDef, inputs: readonly (readonly TypedInput[])[]): OpTyping {
  const problems: Problem[] = [];
  const given = givenAttrs(node, def, problems);
  const bound = bindTypes(node.name, def, given, inputs);
  problems.push(...bound.problems);
  const inferable = new Set(def.inputs.flatMap(({ typeAttr, numberAttr, typeListAttr }) => [typeAttr, numberAttr, typeListAttr]));
  for (const attr of def.attrs) {
    if (attr.default || bound.attrs[attr.name] || inferable.has(attr.name)) continue;
    if (!Object.hasOwn(node.attrs, attr.name)) problems.push(problem('missingAttr', node.name, { attr: attr.name }));
  }
  const types = def.outputs.flatMap((arg) => outputTypes(arg, def, bound));
  const shapes = problems.length === 0 ? shapesOf(node.name, def, bound, inputs, types.length, problems) : [];
  const outputs = types.map(({ type }, i) => ({ ...type, shape: shapes[i] }));
  const constant = problems.length === 0 ? constantResult(def, node, inputs) : undefined;
  return {
    outputs: constant && outputs[0] ? [{ ...outputs[0], constant }, ...outputs.slice(1)] : outputs,
    outputNames: types.map(({ name }) => name),
    problems,
  };
}

function givenAttrs(node: Pick<OpNode, 'name' | 'attrs'>, def: OpDef, problems: Problem[]): Bound['attrs'] {
  const given: Record<string, Bound['attrs'][string]> = {};
  for (const [name, json] of Object.entries(node.attrs)) {
    const attr = def.attrs.find((each) => each.name === name);
    try {
      if (attr) given[name] = attrFromJson(attr, json);
      else problems.push(problem('badAttr', node.name, { attr: name, reason: `${def.name} has no such attr; remove it` }));
    } catch (error) {
      problems.push(problem('badAttr', node.name, { attr: name, reason: firstLine(toStatusError(error).message) }));
    }
  }
  return given;
}

interface NamedType {
  readonly name: string;
  readonly type: TensorType;
}

function outputTypes(arg: ArgDef, def: OpDef, { attrs }: Bound): readonly NamedType[] {
  const values = withDefaults(def, attrs);
  const isRef = arg.isRef ?? false;
  const named = (number: number | undefined): NamedType => {
    const dtype = number === undefined ? undefined : dtypeFromNumber(number);
    return { name: arg.name, type: { ...unknownType, isRef, dtype } };
  };
  if (arg.typeListAttr !== undefined) {
    const list = values[arg.typeListAttr]?.value;
    return list?.case === 'list' ? list.value.type.map(named) : [];
  }
  const attr = values[arg.typeAttr ?? '']?.value;
  const number = arg.type !== undefined ? typeFromName(arg.type) : attr?.case === 'type' ? attr.value : undefined;
  const count = values[arg.numberAttr ?? '']?.value;
  const length = arg.numberAttr === undefined ? 1 : count?.case === 'i' ? Number(count.value) : 0;
  return Array.from({ length: Math.min(length, MOST_OUTPUTS) }, () => named(number));
}

/** More ports than anybody could look at; a mistake in a number must not take all memory. */
const MOST_OUTPUTS = 1000;

function shapesOf(
  name: string,
  def: OpDef,
  { attrs }: Bound,
  inputs: readonly (readonly TypedInput[])[],
  count: number,
  problems: Problem[],
): readonly PartialShape[] {
  const flat = def.inputs.flatMap((arg, i): readonly { readonly shape: PartialShape }[] => {
    const tensors = (inputs[i] ?? []).map(({ type }) => type);
    return tensors.length > 0 || arg.numberAttr !== undefined || arg.typeListAttr !== undefined ? tensors : [unknownType];
  });
  try {
    return inferShapes(def, { node: name, attrs: new Attrs(withDefaults(def, attrs), name), inputs: flat }, count);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    // What is not connected yet cannot be wrong; an attr that would follow from it is missing.
    if (def.attrs.every((attr) => attr.default || attrs[attr.name])) {
      const reason = error.cause instanceof Error ? error.cause.message : error.message;
      const shapes = flat.map(({ shape }) => partialShapeText(shape)).join(', ');
      problems.push(problem('shapes', name, { op: def.name, shapes, reason }));
    }
    return [];
  }
}

/** Integers that are known without running, for the shapes that follow from them. */
function constantResult(
  def: OpDef,
  node: Pick<OpNode, 'attrs'>,
  inputs: readonly (readonly TypedInput[])[],
): readonly number[] | undefined {
  const [first] = inputs;
  if (def.name === 'Const') {
    const tensor = node.attrs['value'];
    if (tensor === undefined || !isTensorJson(tensor)) return undefined;
    return constantOf(tensor.dtype, elementsOf(tensor.value, tensor.dtype).elements);
  }
  if (def.name === 'Shape') return isFullyKnown(first?.[0]?.type.shape) ? first[0].type.shape : undefined;
  if (def.name !== 'Pack') return undefined;
  const parts = first?.map(({ type }) => (type.shape?.length === 0 ? type.constant?.[0] : undefined)) ?? [];
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
