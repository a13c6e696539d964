import { describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { HEADER_BYTES, Kind, leadFor, MAX_PAYLOAD_BYTES, writeHeader } from '../../../../../task-server/service/link/frame.ts';
import { FrameReader } from '../../../../../task-server/service/link/frame-reader.ts';

interface FrameInit {
  readonly kind: Kind;
  readonly call?: number;
  readonly name?: string;
  readonly payload?: Uint8Array;
  readonly total?: number;
  readonly lead?: number;
}

function frame({ kind, call = 1, name = '', payload = new Uint8Array(0), total = payload.length, lead = 0 }: FrameInit): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  writeHeader(header, { size: name.length + payload.length, total, call, kind, nameSize: name.length, lead });
  return Buffer.concat([header, Buffer.from(name), payload]);
}

function received(...chunks: Buffer[]): { kind: Kind; call: number; name: string; text: string }[] {
  const messages: { kind: Kind; call: number; name: string; text: string }[] = [];
  const reader = new FrameReader(({ kind, call, name, message }) => messages.push({ kind, call, name, text: message.toString() }));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return messages;
}

const request = frame({ kind: Kind.REQUEST, call: 5, name: 'RunGraph', payload: Buffer.from('first') });
const begun = frame({ kind: Kind.RESPONSE, call: 7, payload: Buffer.from('se'), total: 6 });
const between = frame({ kind: Kind.CANCEL, call: 9 });
const rest = frame({ kind: Kind.MORE, call: 7, payload: Buffer.from('cond'), total: 0 });
const stream = Buffer.concat([request, begun, between, rest]);
const messages = [
  { kind: Kind.REQUEST, call: 5, name: 'RunGraph', text: 'first' },
  { kind: Kind.CANCEL, call: 9, name: '', text: '' },
  { kind: Kind.RESPONSE, call: 7, name: '', text: 'second' },
];

describe('messages', () => {
  it.each(Array.from({ length: stream.length + 1 }, (_, at) => at))('come whole when the stream is cut at byte %i', (at) => {
    expect(received(stream.subarray(0, at), stream.subarray(at))).toEqual(messages);
  });

  it('come whole byte by byte', () => {
    expect(received(...Array.from(stream, (_, at) => stream.subarray(at, at + 1)))).toEqual(messages);
  });

  it('that their sender stops in the middle are forgotten', () => {
    const error = frame({ kind: Kind.ERROR, call: 7, payload: Buffer.from('no') });
    expect(received(begun, error, begun, rest)).toEqual([
      { kind: Kind.ERROR, call: 7, name: '', text: 'no' },
      { kind: Kind.RESPONSE, call: 7, name: '', text: 'second' },
    ]);
  });
});

describe('a large message', () => {
  const size = 3 * MAX_PAYLOAD_BYTES;
  const content = Buffer.alloc(size, 4);
  const lead = leadFor(21);
  const parts = [0, 1, 2].map((part) => {
    const payload = content.subarray(part * MAX_PAYLOAD_BYTES, (part + 1) * MAX_PAYLOAD_BYTES);
    return frame(part === 0 ? { kind: Kind.RESPONSE, payload, total: size, lead } : { kind: Kind.MORE, payload, total: 0 });
  });

  it('lies in shared memory of its own, with its elements aligned', () => {
    const whole: Buffer[] = [];
    const reader = new FrameReader(({ message }) => whole.push(message));
    for (const part of parts) reader.push(part);
    const [message] = whole;
    expect(message?.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(((message?.byteOffset ?? 0) + 21) % 8).toBe(0);
    expect(message?.equals(content)).toBe(true);
  });

  it('can be read to where it belongs', () => {
    const whole: Buffer[] = [];
    const reader = new FrameReader(({ message }) => whole.push(message));
    let direct = 0;
    for (const part of parts) {
      let at = HEADER_BYTES + 100;
      reader.push(Buffer.from(part.subarray(0, at)));
      for (let space = reader.space; space; space = reader.space) {
        const count = part.copy(space, 0, at, at + 300_000);
        reader.filled(count);
        at += count;
        direct += count;
      }
      reader.push(Buffer.from(part.subarray(at)));
    }
    expect(direct).toBeGreaterThan(size / 2);
    expect(whole.map((message) => message.equals(content))).toEqual([true]);
  });
});

describe('bytes that are not of the link end it:', () => {
  const header = (change: (bytes: Buffer) => void): Buffer => {
    const bytes = frame({ kind: Kind.RESPONSE, payload: Buffer.from('x') });
    change(bytes);
    return bytes;
  };

  it.each([
    ['text', Buffer.from('GET / HTTP/1.1\r\nHost: here\r\n\r\n')],
    ['zeros', Buffer.alloc(64)],
    ['a frame larger than allowed', frame({ kind: Kind.RESPONSE, payload: new Uint8Array(MAX_PAYLOAD_BYTES + 1) })],
    ['a message larger than 2 GiB', frame({ kind: Kind.RESPONSE, payload: Buffer.from('x'), total: 2 ** 31 })],
    ['more payload than message', frame({ kind: Kind.RESPONSE, payload: Buffer.from('xx'), total: 1 })],
    ['an unknown kind', header((bytes) => bytes.writeUInt8(77, 12))],
    ['a lead of eight', header((bytes) => bytes.writeUInt8(8, 14))],
    ['a bit where there is to be none', header((bytes) => bytes.writeUInt8(1, 15))],
    ['a request for nothing', frame({ kind: Kind.REQUEST, payload: Buffer.from('x') })],
    ['a name where there is to be none', frame({ kind: Kind.RESPONSE, name: 'RunGraph' })],
    ['the continuation of nothing', rest],
    ['a continuation beyond the end', Buffer.concat([begun, rest, rest])],
    ['a second beginning', Buffer.concat([begun, begun])],
  ])('%s', (_, bytes) => {
    expect(() => received(bytes)).toThrow(expect.objectContaining({ code: Code.INTERNAL }));
  });
});

it.each([
  ['another frame', Kind.PING, 0],
  ['a HELLO that claims to be huge', Kind.HELLO, 2 ** 31 - 1],
])('makes no room for %s before the dialler has said who it is', (_, kind, total) => {
  const reader = new FrameReader(() => undefined, { awaitsHello: true });
  const header = Buffer.alloc(HEADER_BYTES);
  writeHeader(header, { kind, total, size: total === 0 ? 0 : 1, call: 0, nameSize: 0, lead: 0 });
  expect(() => reader.push(header)).toThrow('The first frame must be HELLO');
});
