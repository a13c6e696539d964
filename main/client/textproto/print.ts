import { type DescEnum, type DescField, type DescMessage, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect, type ScalarValue } from '@bufbuild/protobuf/reflect';
import { escapeBytes } from './escape.ts';

/** A message in protobuf's text format, as TensorFlow's tools write it: fields by number, map entries sorted by key. */
export function printText<D extends DescMessage>(schema: D, message: MessageShape<D>): string {
  const lines: string[] = [];
  printFields(reflect(schema, message), '', lines);
  return lines.map((line) => `${line}\n`).join('');
}

function printFields(message: ReflectMessage, indent: string, lines: string[]): void {
  for (const field of message.fields.toSorted((a, b) => a.number - b.number)) {
    if (!message.isSet(field)) continue;
    if (field.fieldKind === 'map') printMap(message, field, indent, lines);
    else if (field.fieldKind === 'list') for (const item of message.get(field)) printValue(field, item, indent, lines);
    else printValue(field, message.get(field), indent, lines);
  }
}

function printValue(field: DescField, value: unknown, indent: string, lines: string[]): void {
  if (isReflectMessage(value)) block(field.name, indent, lines, (inner) => printFields(value, inner, lines));
  else lines.push(`${indent}${field.name}: ${valueText(typeOf(field), value as ScalarValue)}`);
}

function printMap(message: ReflectMessage, field: DescField & { fieldKind: 'map' }, indent: string, lines: string[]): void {
  const entries = [...message.get(field)].sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  for (const [key, value] of entries) {
    block(field.name, indent, lines, (inner) => {
      lines.push(`${inner}key: ${valueText(field.mapKey, key as ScalarValue)}`);
      if (isReflectMessage(value)) block('value', inner, lines, (deeper) => printFields(value, deeper, lines));
      else lines.push(`${inner}value: ${valueText(field.enum ?? field.scalar ?? ScalarType.STRING, value as ScalarValue)}`);
    });
  }
}

function block(name: string, indent: string, lines: string[], print: (inner: string) => void): void {
  lines.push(`${indent}${name} {`);
  print(`${indent}  `);
  lines.push(`${indent}}`);
}

function isReflectMessage(value: unknown): value is ReflectMessage {
  return typeof value === 'object' && value !== null && 'message' in value && 'fields' in value;
}

function typeOf(field: DescField): ScalarType | DescEnum {
  return field.enum ?? field.scalar ?? ScalarType.STRING;
}

function valueText(type: ScalarType | DescEnum, value: ScalarValue): string {
  if (typeof type === 'object') return type.value[Number(value)]?.name ?? String(value);
  if (value instanceof Uint8Array) return `"${escapeBytes(value)}"`;
  if (typeof value === 'string') return `"${escapeBytes(new TextEncoder().encode(value))}"`;
  if (typeof value === 'number') return numberText(value, type);
  return String(value);
}

function numberText(value: number, type: ScalarType): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0';
  return type === ScalarType.FLOAT ? shortestFloat(value) : String(value);
}

/** The shortest digits that give the same 32-bit float back. */
function shortestFloat(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === Math.fround(value)) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}
