import { create, type DescEnum, type DescField, type DescMessage, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect, type ScalarValue } from '@bufbuild/protobuf/reflect';
import { unescapeBytes } from './escape.ts';
import { Lexer } from './lexer.ts';

/**
 * Reads a message in protobuf's text format. Throws INVALID_ARGUMENT, naming line and column, for a syntax error, a field that
 * the message does not have, or a value that its field cannot hold.
 */
export function parseText<D extends DescMessage>(schema: D, text: string): MessageShape<D> {
  const message = create(schema);
  const lexer = new Lexer(text);
  readFields(lexer, reflect(schema, message), () => lexer.next.kind === 'end');
  return message;
}

function readFields(lexer: Lexer, message: ReflectMessage, atEnd: () => boolean): void {
  while (!atEnd()) {
    const name = lexer.take();
    const field = name.kind === 'word' ? message.fields.find((each) => each.name === name.text) : undefined;
    if (!field) throw lexer.error(`expected a field of ${message.desc.typeName}`, name);
    lexer.accept(':');
    if (lexer.accept('[')) readList(lexer, message, field);
    else readField(lexer, message, field);
    if (!lexer.accept(';')) lexer.accept(',');
  }
}

/** The short form of a repeated field: `[1, 2]`. */
function readList(lexer: Lexer, message: ReflectMessage, field: DescField): void {
  while (!lexer.accept(']')) {
    readField(lexer, message, field);
    if (lexer.accept(',')) continue;
    lexer.expect(']');
    return;
  }
}

function readField(lexer: Lexer, message: ReflectMessage, field: DescField): void {
  if (field.fieldKind === 'map') readMapEntry(lexer, message, field);
  else if (field.fieldKind === 'list') message.get(field).add(readElement(lexer, field));
  else message.set(field, readElement(lexer, field));
}

type Element = ScalarValue | number | ReflectMessage;

/** One value of a field, of a list or of a map. */
function readElement(lexer: Lexer, { message, enum: enumType, scalar }: Pick<DescField, 'message' | 'enum' | 'scalar'>): Element {
  if (message) return readMessage(lexer, message);
  return enumType ? readEnum(lexer, enumType) : readScalar(lexer, scalar ?? ScalarType.STRING);
}

/** `{` or the older `<`; the result is what closes the block. */
function openBlock(lexer: Lexer): '}' | '>' {
  if (lexer.accept('<')) return '>';
  lexer.expect('{');
  return '}';
}

function readMessage(lexer: Lexer, schema: DescMessage): ReflectMessage {
  const close = openBlock(lexer);
  const message = reflect(schema);
  readFields(lexer, message, () => lexer.accept(close));
  return message;
}

/** `{ key: … value … }` */
function readMapEntry(lexer: Lexer, message: ReflectMessage, field: DescField & { fieldKind: 'map' }): void {
  const close = openBlock(lexer);
  let key = defaultScalar(field.mapKey);
  let value: Element = field.message ? reflect(field.message) : defaultScalar(field.scalar ?? ScalarType.INT32);
  while (!lexer.accept(close)) {
    const name = lexer.take();
    lexer.accept(':');
    if (name.text === 'key') key = readScalar(lexer, field.mapKey);
    else if (name.text === 'value') value = readElement(lexer, field);
    else throw lexer.error("expected 'key' or 'value'", name);
  }
  message.get(field).set(key, value);
}

function readEnum(lexer: Lexer, type: DescEnum): number {
  const token = lexer.take();
  const value = type.values.find((each) => each.name === token.text);
  if (value) return value.number;
  if (token.kind === 'word' && /^\d+$/.test(token.text)) return Number(token.text);
  throw lexer.error(`expected a value of ${type.typeName}`, token);
}

const bigTypes: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);
const isFloat = (type: ScalarType): boolean => type === ScalarType.FLOAT || type === ScalarType.DOUBLE;
const isText = (type: ScalarType): boolean => type === ScalarType.STRING || type === ScalarType.BYTES;

function defaultScalar(type: ScalarType): ScalarValue {
  if (type === ScalarType.BYTES) return new Uint8Array();
  if (type === ScalarType.STRING) return '';
  if (type === ScalarType.BOOL) return false;
  return bigTypes.has(type) ? 0n : 0;
}

function readScalar(lexer: Lexer, type: ScalarType): ScalarValue {
  if (isText(type)) return readText(lexer, type);
  const negative = lexer.accept('-');
  const token = lexer.take();
  if (token.kind === 'word') {
    const value = type === ScalarType.BOOL ? readBool(token.text) : readNumber(token.text, type, negative);
    if (value !== undefined) return value;
  }
  throw lexer.error(`expected a value of type ${ScalarType[type].toLowerCase()}`, token);
}

function readBool(text: string): boolean | undefined {
  if (['true', 'True', 't', '1'].includes(text)) return true;
  return ['false', 'False', 'f', '0'].includes(text) ? false : undefined;
}

function readNumber(text: string, type: ScalarType, negative: boolean): number | bigint | undefined {
  const sign = negative ? -1 : 1;
  if (isFloat(type)) {
    if (/^(inf|infinity)f?$/i.test(text)) return sign * Number.POSITIVE_INFINITY;
    if (/^nanf?$/i.test(text)) return Number.NaN;
    const value = Number(text.replace(/[fF]$/, ''));
    if (Number.isNaN(value)) return undefined;
    return sign * (type === ScalarType.FLOAT ? Math.fround(value) : value);
  }
  if (!/^(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)$/.test(text)) return undefined;
  const value = BigInt(/^0[0-7]+$/.test(text) ? `0o${text.slice(1)}` : text) * BigInt(sign);
  return bigTypes.has(type) ? value : Number(value);
}

/** Strings that follow each other are one. */
function readText(lexer: Lexer, type: ScalarType): Uint8Array | string {
  const parts: Uint8Array[] = [];
  while (lexer.next.kind === 'string') {
    const token = lexer.take();
    const bytes = unescapeBytes(token.text);
    if (!bytes) throw lexer.error('bad escape in a string', token);
    parts.push(bytes);
  }
  if (parts.length === 0) throw lexer.error('expected a quoted string');
  const all = new Uint8Array(Buffer.concat(parts));
  return type === ScalarType.BYTES ? all : new TextDecoder().decode(all);
}
