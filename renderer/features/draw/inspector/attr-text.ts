import { attrFromJson, attrToJson } from '#proto/graph-document/attr-json.ts';
import type { AttrJson, OpNode } from '#proto/graph-document/document.ts';
import { elementKind, isListKind } from '#proto/ops/attr-kind.ts';
import type { AttrDef, OpDef } from '#proto/ops/op-def.ts';
import { toStatusError } from '#proto/wire/status.ts';

/** How an attr is edited. */
export type AttrEditor = { readonly kind: 'text' } | { readonly kind: 'choice'; readonly options: readonly string[] };

export function editorOf(def: AttrDef): AttrEditor {
  if (def.type === 'bool') return { kind: 'choice', options: ['true', 'false'] };
  if (def.allowed && (def.type === 'type' || def.type === 'string')) return { kind: 'choice', options: def.allowed };
  return { kind: 'text' };
}

/** The attrs that a user may want to set, those that follow from the inputs last. */
export function attrsOf(def: OpDef): readonly { readonly def: AttrDef; readonly follows: boolean }[] {
  const inferred = new Set(def.inputs.flatMap(({ typeAttr, numberAttr, typeListAttr }) => [typeAttr, numberAttr, typeListAttr]));
  const attrs = def.attrs.map((attr) => ({ def: attr, follows: inferred.has(attr.name) }));
  return [...attrs.filter(({ follows }) => !follows), ...attrs.filter(({ follows }) => follows)];
}

export function attrText(value: AttrJson | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Of an attr that is not set. */
export function defaultText(def: AttrDef): string {
  const json = def.default && attrToJson(def, def.default);
  return json === undefined ? '' : attrText(json);
}

/** Texts need no quotes, other things are JSON. Undefined for an empty text: the default. */
export function parseAttr(def: AttrDef, text: string): AttrJson | undefined {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const isText = !isListKind(def.type) && ['string', 'type', 'func'].includes(elementKind(def.type));
  // What JSON holds is checked against the attr before it is used.
  return isText || /^(NaN|-?Infinity)$/.test(trimmed) ? trimmed : (JSON.parse(trimmed) as AttrJson);
}

/** Why a text is no value of an attr. */
export function attrProblem(def: AttrDef, text: string): string | undefined {
  try {
    const json = parseAttr(def, text);
    if (json !== undefined) attrFromJson(def, json);
    return undefined;
  } catch (error) {
    return toStatusError(error).message.split('\n')[0];
  }
}

export function attrOf(node: OpNode, name: string): string {
  return attrText(Object.hasOwn(node.attrs, name) ? node.attrs[name] : undefined);
}
