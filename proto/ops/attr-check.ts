import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import { isRefNumber } from '#proto/wire/dtype.ts';
import { invalidArgument, type StatusError } from '#proto/wire/status.ts';
import { elementKind, isListKind, kindOfCase, listElementKind, listElements, typeName } from './attr-kind.ts';
import type { AttrDef } from './op-def.ts';

/**
 * Throws INVALID_ARGUMENT, in TensorFlow's words, when a value is none the attr can have. Placeholders pass: what they
 * stand for is known only when the function around them is called.
 */
export function checkAttr(def: AttrDef, attr: AttrValue): void {
  if (attr.value.case === 'placeholder') return;
  const elements = checkKind(def, attr);
  checkMinimum(def, elements);
  if (def.allowed) for (const element of elements) checkAllowed(def, def.allowed, element);
}

/** The elements of a list, or the one value, once their kind is right. */
function checkKind(def: AttrDef, attr: AttrValue): readonly unknown[] {
  const actual = actualKind(attr);
  const isEmptyList = attr.value.case === 'list' && actual === undefined;
  if (actual === undefined && !(isEmptyList && isListKind(def.type))) {
    throw badKind(def, `AttrValue missing value with expected type '${def.type}'`);
  }
  if (actual !== undefined && actual !== def.type) {
    throw badKind(def, `AttrValue had value with type '${actual}' when '${def.type}' expected`);
  }
  const elements = attr.value.case === 'list' ? listElements(attr.value.value) : [attr.value.value];
  if (elementKind(def.type) === 'type') for (const type of elements) checkType(def, type as DataType);
  return elements;
}

function actualKind({ value }: AttrValue): string | undefined {
  if (value.case === undefined || value.case === 'placeholder') return undefined;
  if (value.case !== 'list') return kindOfCase(value.case);
  const element = listElementKind(value.value);
  return element && `list(${element})`;
}

function checkType(def: AttrDef, type: DataType): void {
  if (isRefNumber(type)) throw badKind(def, `AttrValue must not have reference type value of ${typeName(type)}`);
  if (type === DataType.DT_INVALID || DataType[type] === undefined) {
    throw badKind(def, `AttrValue ${isListKind(def.type) ? 'contains' : 'has'} invalid DataType`);
  }
}

function checkMinimum({ name, type, minimum }: AttrDef, elements: readonly unknown[]): void {
  if (minimum === undefined) return;
  const isList = isListKind(type);
  const value = isList ? elements.length : (elements[0] as bigint);
  if (value >= minimum) return;
  throw invalidArgument(`${isList ? 'Length' : 'Value'} for attr '${name}' of ${value} must be at least minimum ${minimum}`);
}

function checkAllowed({ name, type }: AttrDef, allowed: readonly string[], element: unknown): void {
  const isType = elementKind(type) === 'type';
  const text = isType ? typeName(element as DataType) : new TextDecoder().decode(element as Uint8Array);
  if (allowed.includes(text)) return;
  const quote = (value: string): string => (isType ? value : `"${value}"`);
  throw invalidArgument(
    `Value for attr '${name}' of ${quote(text)} is not in the list of allowed values: ${allowed.map(quote).join(', ')}`,
  );
}

function badKind(def: AttrDef, text: string): StatusError {
  return invalidArgument(`${text}\n\t for attr '${def.name}'`);
}
