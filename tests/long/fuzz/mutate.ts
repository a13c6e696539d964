import { type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { Random } from '../support/random.ts';

/** Bytes close to the given ones: a few of them changed, lost, repeated or put in. */
export function mutateBytes(random: Random, bytes: Uint8Array): Uint8Array {
  let mutated = bytes;
  for (let change = random.between(1, 4); change > 0; change--) mutated = random.pick(byteChanges)(random, mutated);
  return mutated;
}

type ByteChange = (random: Random, bytes: Uint8Array) => Uint8Array;

const byteChanges: readonly ByteChange[] = [
  (random, bytes) => splice(bytes, random.below(bytes.length + 1), 1, Uint8Array.of(random.below(256))),
  (random, bytes) => splice(bytes, random.below(bytes.length + 1), 1, Uint8Array.of(random.pick([0, 1, 0x7f, 0x80, 0xfe, 0xff]))),
  (random, bytes) => bytes.slice(0, random.below(bytes.length + 1)),
  (random, bytes) => splice(bytes, random.below(bytes.length + 1), random.below(16), new Uint8Array(0)),
  (random, bytes) => splice(bytes, random.below(bytes.length + 1), 0, random.bytes(random.between(1, 8))),
  (random, bytes) => splice(bytes, random.below(bytes.length + 1), 0, bytes.slice(random.below(bytes.length + 1)).subarray(0, 64)),
  // The largest varint in the place of a length, a count or a number.
  (random, bytes) => splice(bytes, random.below(bytes.length + 1), 1, new Uint8Array(9).fill(0xff)),
];

function splice(bytes: Uint8Array, at: number, remove: number, insert: Uint8Array): Uint8Array {
  const result = new Uint8Array(Math.max(bytes.length - remove, at) + insert.length);
  result.set(bytes.subarray(0, at));
  result.set(insert, at);
  result.set(bytes.subarray(at + remove), at + insert.length);
  return result;
}

/** A well-formed message close to the given one: a few of its fields changed, wherever they are. */
export function mutateMessage<D extends DescMessage>(random: Random, schema: D, message: MessageShape<D>): Uint8Array {
  const mutated = structuredClone(message);
  for (let change = random.between(1, 3); change > 0; change--) changeSomewhere(random, mutated);
  try {
    return toBinary(schema, mutated);
  } catch (error) {
    // A change that protobuf has no encoding for, such as a text with half a surrogate pair; the next one will do.
    if (error instanceof Error) return mutateMessage(random, schema, message);
    throw error;
  }
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function changeSomewhere(random: Random, message: object): void {
  const places: Place[] = [];
  collect(message, places);
  if (places.length === 0) return;
  const { holder, key } = random.pick(places);
  const value = holder[key];
  if (Array.isArray(value)) changeList(random, value);
  else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) delete holder[key];
  else holder[key] = changedScalar(random, value, places);
}

function collect(value: object, places: Place[]): void {
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$typeName' || key === 'case') continue;
    places.push({ holder: value as Record<string, unknown>, key });
    if (typeof inner === 'object' && inner !== null && !(inner instanceof Uint8Array)) collect(inner, places);
  }
}

function changeList(random: Random, list: unknown[]): void {
  const at = random.below(list.length + 1);
  const copy = list.length > 0 ? [structuredClone(random.pick(list))] : [];
  list.splice(at, random.below(3), ...(random.chance(0.5) ? copy : []));
}

const numbers = [0, 1, -1, 2, 3, 7, 19, 127, 1000, 65_536, 2 ** 31 - 1, -(2 ** 31)];
const bigints = [0n, 1n, -1n, 2n, 255n, 1n << 20n, 1n << 31n, 1n << 40n, (1n << 63n) - 1n, -(1n << 63n)];
const texts = [
  '',
  '^',
  ':',
  'x',
  '/',
  '/job:l',
  '/job:none/task:9',
  '/device:GPU:7',
  '_',
  'a:-1',
  '^a',
  'x:4294967296',
  '\u0000',
  'ä€😀',
  'x'.repeat(5000),
];

function changedScalar(random: Random, value: unknown, places: readonly Place[]): unknown {
  if (typeof value === 'number') return random.pick(numbers);
  if (typeof value === 'bigint') return random.pick(bigints);
  if (typeof value === 'boolean') return !value;
  if (value instanceof Uint8Array) return mutateBytes(random, value);
  // Often a text that has a meaning elsewhere in the message.
  const others = places.map(({ holder, key }) => holder[key]).filter((other) => typeof other === 'string');
  return random.chance(0.6) ? random.pick(others) : random.pick(texts);
}
