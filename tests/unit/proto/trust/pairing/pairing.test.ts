import { describe, expect, it } from 'vitest';
import { type PairingTransport, pair } from '#proto/trust/pairing/pairing-client.ts';
import { PAIRING_LIMIT_MS, PAIRING_TRIES, PairingServer } from '#proto/trust/pairing/pairing-server.ts';
import { makePin, normalPin } from '#proto/trust/pairing/pin.ts';
import type { Sealed } from '#proto/trust/pairing/sealed.ts';
import { Code } from '#proto/wire/status.ts';

const effort = { iterations: 1, memory: 8192, parallelism: 1 };
const NAME = 'machine 0123456789abcdef';
const PIN = '042 817';
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

interface Said {
  readonly start: string[];
  readonly finish: [string, string][];
}

async function make({ now }: { now?: () => number } = {}) {
  const server = await PairingServer.create({ pin: PIN, name: NAME, effort, ...(now && { now }) });
  const ends: Sealed[] = [];
  const said: Said = { start: [], finish: [] };
  const transport: PairingTransport = {
    start: async (request) => {
      said.start.push(request);
      return server.start(request);
    },
    finish: async (attempt, request) => {
      said.finish.push([attempt, request]);
      ends.push(server.finish(attempt, request));
    },
  };
  const guess = (pin: string, name = NAME) => pair({ pin, name, effort }, transport);
  return { server, transport, guess, said, other: () => ends[0] as Sealed }; // Looked at after a pairing only.
}

describe('pairing', () => {
  it('gives both ends a way to talk that nobody else has', async () => {
    const { guess, other, said } = await make();
    const client = await guess(' 042-817 ');
    expect(text(other().open(client.seal(Buffer.from('certificate, please'))))).toBe('certificate, please');
    expect(text(client.open(other().seal(Buffer.from('here'))))).toBe('here');
    expect(text(client.open(other().seal(Buffer.alloc(0))))).toBe('');
    expect(JSON.stringify(said)).not.toContain(normalPin(PIN));
  });

  it('does not take changed, repeated, reflected or reordered messages', async () => {
    const { guess, other } = await make();
    const client = await guess(PIN);
    const [first, second] = [client.seal(Buffer.from('1')), client.seal(Buffer.from('2'))];
    const changed = Buffer.from(first);
    changed[0] = (changed[0] ?? 0) ^ 1;
    const denied = expect.objectContaining({ code: Code.PERMISSION_DENIED });
    for (const wrong of [second, changed, first.subarray(1), new Uint8Array(3)]) expect(() => other().open(wrong)).toThrow(denied);
    expect(() => client.open(first)).toThrow(denied);
    expect(text(other().open(first))).toBe('1');
    expect(() => other().open(first)).toThrow(denied);
    expect(text(other().open(second))).toBe('2');
  });

  it('allows three wrong guesses, and then not even the right one', async () => {
    const { server, guess } = await make();
    for (let left = PAIRING_TRIES - 1; left >= 0; left--) {
      await expect(guess('000 000')).rejects.toMatchObject({ code: Code.PERMISSION_DENIED, message: 'The PIN is wrong' });
      expect(server.triesLeft).toBe(left);
    }
    await expect(guess(PIN)).rejects.toMatchObject({ code: Code.RESOURCE_EXHAUSTED, message: expect.stringContaining('show a new one') });
  });

  it('takes the right guess after a wrong one', async () => {
    const { guess } = await make();
    await expect(guess('123')).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
    await guess(PIN);
  });

  it('serves once', async () => {
    const { guess } = await make();
    await guess(PIN);
    await expect(guess(PIN)).rejects.toMatchObject({ code: Code.FAILED_PRECONDITION });
  });

  it('counts garbage as a try', async () => {
    const { server } = await make();
    for (const garbage of ['', 'hello', 'A'.repeat(1_000_000)]) {
      expect(() => server.start(garbage)).toThrow(expect.objectContaining({ code: Code.PERMISSION_DENIED }));
    }
    expect(server.triesLeft).toBe(0);
  });

  it('ends after two minutes, in the middle of an attempt too', async () => {
    let time = 0;
    const { server, guess, transport } = await make({ now: () => time });
    const late = { ...transport, start: async (request: string) => transport.start(request).finally(() => (time = PAIRING_LIMIT_MS + 1)) };
    await expect(pair({ pin: PIN, name: NAME, effort }, late)).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED });
    await expect(guess(PIN)).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED, message: expect.stringContaining('2 minutes') });
    expect(server.triesLeft).toBe(PAIRING_TRIES - 1);
  });

  it('does not take a recording of an earlier pairing', async () => {
    const first = await make();
    await first.guess(PIN);
    const second = await make();
    const { attempt } = second.server.start(first.said.start[0] ?? '');
    const [, proof = ''] = first.said.finish[0] ?? [];
    expect(() => second.server.finish(attempt, proof)).toThrow(expect.objectContaining({ code: Code.PERMISSION_DENIED }));
    expect(() => second.server.finish(attempt, proof)).toThrow(expect.objectContaining({ code: Code.NOT_FOUND }));
    expect(() => second.server.finish('made up', proof)).toThrow(expect.objectContaining({ code: Code.NOT_FOUND }));
  });

  it('is with the machine that is meant, not with another one that has the same PIN', async () => {
    const { guess } = await make();
    await expect(guess(PIN, 'machine ffffffffffffffff')).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
  });

  it('makes PINs of six digits, and not always the same', () => {
    const pins = Array.from({ length: 50 }, makePin);
    for (const pin of pins) expect(pin).toMatch(/^\d{3} \d{3}$/);
    expect(new Set(pins).size).toBeGreaterThan(45);
  });
});
