import type { AttrValue, AttrValue_ListValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import type { AttrKind, ScalarKind, TypeName } from './op-def.ts';

export type ListValue = AttrValue_ListValue;
export type AttrCase = AttrValue['value'];
export type ScalarCase = Exclude<AttrCase['case'], 'list' | 'placeholder' | undefined>;

/** Field of AttrValue, and of its ListValue, that holds a value of each kind. */
export const caseOfKind = {
  string: 's',
  int: 'i',
  float: 'f',
  bool: 'b',
  type: 'type',
  shape: 'shape',
  tensor: 'tensor',
  func: 'func',
} as const satisfies Record<ScalarKind, ScalarCase>;

const kinds = Object.keys(caseOfKind) as ScalarKind[];

/** `int` for both `int` and `list(int)`. */
export function elementKind(kind: AttrKind): ScalarKind {
  return (isListKind(kind) ? kind.slice('list('.length, -1) : kind) as ScalarKind;
}

export function isListKind(kind: AttrKind): boolean {
  return kind.startsWith('list(');
}

/** The elements of a list attr, whatever their kind. */
export function listElements(list: ListValue): readonly unknown[] {
  return list[caseOfKind[listElementKind(list) ?? 'int']];
}

/** Kind of the elements; undefined for an empty list, which fits every kind. */
export function listElementKind(list: ListValue): ScalarKind | undefined {
  return kinds.find((kind) => list[caseOfKind[kind]].length > 0);
}

export function kindOfCase(name: ScalarCase): ScalarKind {
  return kinds.find((kind) => caseOfKind[kind] === name) ?? 'string';
}

export function emptyList(): ListValue {
  return { $typeName: 'tensorflow.AttrValue.ListValue', s: [], i: [], f: [], b: [], type: [], shape: [], tensor: [], func: [] };
}

export function attrValue(value: AttrCase): AttrValue {
  return { $typeName: 'tensorflow.AttrValue', value };
}

/** `float` for 1, `float_ref` for 101; INVALID for 0 and `unknown dtype enum (n)` for numbers outside the enum. */
export function typeName(type: DataType): string {
  if (type === DataType.DT_INVALID) return 'INVALID';
  return (DataType[type] as string | undefined)?.slice('DT_'.length).toLowerCase() ?? `unknown dtype enum (${type})`;
}

export function typeFromName(name: TypeName): DataType {
  return DataType[`DT_${name.toUpperCase()}` as keyof typeof DataType];
}
