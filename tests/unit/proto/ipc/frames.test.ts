import { describe, expect, it } from 'vitest';
import { createFrameCodec } from '#proto/ipc/codec.ts';
import { errorFrame, errorOf, type Frame } from '#proto/ipc/frames.ts';
import { type Packet, PacketReader, packetHeader } from '#proto/ipc/pipe.ts';
import { notFound } from '#proto/wire/status.ts';
import { Random } from '../../../long/support/random.ts';

describe('frames', () => {
  const codec = createFrameCodec();
  const call = (argument: unknown): Frame => ({ kind: 'call', id: 1, name: 'x', argument });

  it.each([
    ['typed arrays, with their type', new Float64Array([1, Number.NaN, Number.NEGATIVE_INFINITY])],
    ['parts of typed arrays', new Float64Array([1, 2, 3, 4]).subarray(1, 3)],
    ['small integers', new Uint16Array([0, 65535])],
    ['bigint of any size', { small: 5n, negative: -7n, huge: 2n ** 70n }],
    ['non-finite numbers', [Number.NaN, Number.POSITIVE_INFINITY, 1.785e-8]],
    ['text of any script', { 变量: 'ä\u0000'.repeat(300) }],
    ['null, nested lists and objects', { a: null, b: [[], [{ c: true }]] }],
  ])('keep %s', (_, argument) => {
    expect(codec.decode(codec.encode(call(argument)))).toEqual(call(argument));
  });

  it('keep bytes as Uint8Array', () => {
    const frame = codec.decode(new Uint8Array(codec.encode(call(new Uint8Array([1, 2])))));
    expect([...((frame as { argument: Uint8Array }).argument ?? [])]).toEqual([1, 2]);
  });

  it('carry an error with code, text and details, and nothing else', () => {
    const thrown = notFound('no such run', { details: { run: 'x' }, cause: new Error('secret') });
    const frame = codec.decode(codec.encode(errorFrame(3, thrown)));
    expect(frame).toEqual({ kind: 'error', id: 3, code: 5, message: 'no such run', details: { run: 'x' } });
    expect(errorOf(errorFrame(3, thrown))).toMatchObject({ codeName: 'NOT_FOUND', message: 'no such run' });
  });

  it.each([
    ['half a frame', codec.encode(call('text')).subarray(0, 9)],
    ['no object', new Uint8Array([1])],
    ['another kind', codec.encode({ kind: 'toString' } as unknown as Frame)],
    ['a call without id', codec.encode({ kind: 'call', name: 'x' } as unknown as Frame)],
  ])('refuse %s', (_, bytes) => {
    expect(() => codec.decode(bytes)).toThrow(expect.objectContaining({ codeName: 'INVALID_ARGUMENT' }));
  });

  it('do not let a frame touch prototypes', () => {
    codec.decode(new Uint8Array(codec.encode(call(JSON.parse('{"__proto__": {"polluted": true}}')))));
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('the pipe', () => {
  it('gives back packets of any size, however the bytes are chopped', () => {
    const random = new Random(4);
    const sent = Array.from(
      { length: 50 },
      (_, i): Packet => ({ window: i % 3, frame: random.bytes(i % 5 === 0 ? 0 : random.below(400)) }),
    );
    const stream = Buffer.concat(sent.flatMap((packet) => [packetHeader(packet), packet.frame]));
    const received: Packet[] = [];
    const reader = new PacketReader((packet) => received.push(packet));
    for (let at = 0; at < stream.length; ) {
      const size = random.between(1, 60);
      reader.push(stream.subarray(at, at + size));
      at += size;
    }
    expect(received.map(({ window, frame }) => [window, ...frame])).toEqual(sent.map(({ window, frame }) => [window, ...frame]));
  });

  it('refuses a length that no frame has', () => {
    const reader = new PacketReader(() => {});
    expect(() => reader.push(new Uint8Array(8).fill(0xff))).toThrow(expect.objectContaining({ codeName: 'RESOURCE_EXHAUSTED' }));
  });
});
