import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import type { AttrMap, OpDef } from './op-def.ts';

/** `attrs` with the op's defaults for all that are missing, in a new object. A master strips what equals the default. */
export function withDefaults(def: OpDef, attrs: AttrMap): Record<string, AttrValue> {
  const defaults: Record<string, AttrValue> = {};
  for (const { name, default: value } of def.attrs) if (value) defaults[name] = value;
  return { ...defaults, ...attrs };
}

/**
 * `attrs` without those that equal the op's default, in a new object: lets a task with an older op list, which may lack a
 * new attr, still run the node.
 */
export function stripDefaults(def: OpDef, attrs: AttrMap): Record<string, AttrValue> {
  const defaults = new Map(def.attrs.map(({ name, default: value }) => [name, value]));
  return Object.fromEntries(
    Object.entries(attrs).filter(([name, { value }]) => {
      const standard = defaults.get(name);
      return standard === undefined || !isEqual(value, standard.value);
    }),
  );
}

/** Deep equality of plain data: messages, lists, bytes, numbers (NaN equals itself). */
function isEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return Object.is(left, right);
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => key in right && isEqual(Reflect.get(left, key), Reflect.get(right, key)));
}
