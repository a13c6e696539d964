export type Json = null | number | boolean | string | readonly Json[] | { readonly [key: string]: Json };

const WIDTH = 120;

/** JSON for people and for version control: one field a line, short lists in one line, long lists of scalars in full lines. */
export function formatJson(value: Json, indent = ''): string {
  if (Array.isArray(value)) return formatList(value, indent);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const lines = Object.entries(value).map(([key, each]) => `${inner}${JSON.stringify(key)}: ${formatJson(each, inner)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
}

function formatList(list: readonly Json[], indent: string): string {
  if (list.length === 0) return '[]';
  const short = `[${list.map((each) => formatJson(each, indent)).join(', ')}]`;
  if (short.length + indent.length <= WIDTH && !short.includes('\n')) return short;
  const inner = `${indent}  `;
  const parts = list.map((each) => formatJson(each, inner));
  const isFlat = list.every((each) => typeof each !== 'object' || each === null);
  const lines = isFlat ? filled(parts, WIDTH - inner.length) : parts;
  return `[\n${lines.map((line) => inner + line).join(',\n')}\n${indent}]`;
}

/** As many in a line as fit. */
function filled(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 2 < width) lines[lines.length - 1] = `${last}, ${part}`;
    else lines.push(part);
  }
  return lines;
}

/** Deep equality of plain data. */
export function isSame(left: unknown, right: unknown): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return Object.is(left, right);
  if (left === right) return true;
  const keys = Object.keys(left);
  if (Array.isArray(left) !== Array.isArray(right) || keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isSame(Reflect.get(left, key), Reflect.get(right, key)));
}
