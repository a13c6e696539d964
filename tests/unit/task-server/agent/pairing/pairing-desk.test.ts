import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { beforeEach, expect, it } from 'vitest';
import { CertificateRequestSchema, type Trust, TrustSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { pair } from '#proto/trust/pairing/pairing-client.ts';
import { PAIRING_LIMIT_MS } from '#proto/trust/pairing/pairing-server.ts';
import type { Sealed } from '#proto/trust/pairing/sealed.ts';
import { Code, failedPrecondition } from '#proto/wire/status.ts';
import { PairingDesk } from '../../../../../task-server/agent/pairing/pairing-desk.ts';

const MACHINE = '0123456789abcdef';
/** The least that Argon2 takes: these tests are not about its strength. */
const effort = { iterations: 1, memory: 8, parallelism: 1 };

let desk: PairingDesk;
let clock: number;
let accepted: string[];
let refusal: Error | undefined;
let said: string[];

beforeEach(() => {
  clock = 0;
  accepted = [];
  refusal = undefined;
  said = [];
  const trust = {
    requestCertificate: async () => ({ machine: MACHINE, request: 'a request' }),
    accept: async ({ lab }: Pick<Trust, 'lab'>) => {
      if (refusal) throw refusal;
      accepted.push(lab);
    },
  };
  desk = new PairingDesk({ machine: MACHINE, trust, effort, now: () => clock, log: (line) => said.push(line) });
});

interface Proof {
  readonly attempt: string;
  readonly sealed: Sealed;
  readonly answer: Uint8Array;
}

/** As somebody does who types this PIN; rejects with PERMISSION_DENIED when it is wrong. */
async function prove(pin: string): Promise<Proof> {
  let [attempt, answer] = ['', new Uint8Array()];
  const sealed = await pair(
    { pin, name: MACHINE, effort },
    {
      start: async (request) => desk.start(request),
      finish: async (which, request) => {
        attempt = which;
        answer = Uint8Array.from(await desk.finish(which, request));
      },
    },
  );
  return { attempt, sealed, answer };
}

const bring = ({ attempt, sealed }: Pick<Proof, 'attempt' | 'sealed'>, lab: string): Promise<void> =>
  desk.complete(attempt, sealed.seal(toBinary(TrustSchema, create(TrustSchema, { lab }))));

const wrong = (pin: string): string => pin.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));

it('gives the machine to the lab of who knows the PIN', async () => {
  const { pin, goodFor } = await desk.open();
  expect([pin, goodFor, desk.isPairing]).toEqual([expect.stringMatching(/^\d{3} \d{3}$/), PAIRING_LIMIT_MS, true]);
  const proof = await prove(pin);
  expect(fromBinary(CertificateRequestSchema, proof.sealed.open(proof.answer))).toMatchObject({ machine: MACHINE, request: 'a request' });
  await bring(proof, 'lab');
  expect([accepted, desk.isPairing]).toEqual([['lab'], false]);
  await expect(bring(proof, 'other')).rejects.toMatchObject({ code: Code.NOT_FOUND });
  await expect(prove(pin)).rejects.toMatchObject({ code: Code.FAILED_PRECONDITION });
});

it('says that it shows none', async () => {
  await expect(prove('123 456')).rejects.toMatchObject({ code: Code.NOT_FOUND, message: expect.stringContaining('lanflow agent --pin') });
});

it('takes three tries, and says so', async () => {
  const { pin } = await desk.open();
  for (let i = 0; i < 3; i++) await expect(prove(wrong(pin))).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
  await expect(prove(pin)).rejects.toMatchObject({ code: Code.RESOURCE_EXHAUSTED });
  expect([desk.isPairing, said.length]).toEqual([false, 1]);
  await bring(await prove((await desk.open()).pin), 'lab');
  expect(accepted).toEqual(['lab']);
});

it('ends a PIN after two minutes', async () => {
  const { pin } = await desk.open();
  clock = PAIRING_LIMIT_MS + 1;
  expect(desk.isPairing).toBe(false);
  await expect(prove(pin)).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED });
});

it('serves the first of two who know the PIN', async () => {
  const { pin } = await desk.open();
  const results = await Promise.allSettled([prove(pin), prove(pin)]);
  const [proof, ...more] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  if (!proof) throw new Error('nobody was served');
  expect(more).toEqual([]);
  await bring(proof, 'lab');
  expect(accepted).toEqual(['lab']);
});

it('is not held up by an attempt that was abandoned, at either step', async () => {
  const first = await desk.open();
  await expect(
    pair(
      { pin: first.pin, name: MACHINE, effort },
      { start: async (request) => desk.start(request), finish: () => Promise.reject(new Error('gone')) },
    ),
  ).rejects.toThrow('gone');
  const abandoned = await prove(first.pin);
  const second = await desk.open();
  await bring(await prove(second.pin), 'second');
  await expect(bring(abandoned, 'abandoned')).rejects.toMatchObject({ code: Code.NOT_FOUND });
  expect(accepted).toEqual(['second']);
});

it('lets who has proved it bring what is right after what was refused, for two minutes', async () => {
  const { pin } = await desk.open();
  const proof = await prove(pin);
  refusal = failedPrecondition('The certificate is of another time');
  await expect(bring(proof, 'lab')).rejects.toBe(refusal);
  refusal = undefined;
  await bring(proof, 'lab');
  const late = await prove((await desk.open()).pin);
  clock += PAIRING_LIMIT_MS + 1;
  await expect(bring(late, 'late')).rejects.toMatchObject({ code: Code.NOT_FOUND });
  expect(accepted).toEqual(['lab']);
});

it('takes no message that was changed, repeated or made by somebody else', async () => {
  const { pin } = await desk.open();
  const { attempt, sealed } = await prove(pin);
  const message = sealed.seal(toBinary(TrustSchema, create(TrustSchema, { lab: 'lab' })));
  const changed = Uint8Array.from(message, (byte, at) => (at === 3 ? byte ^ 1 : byte));
  for (const bad of [changed, new Uint8Array(), new Uint8Array(100)]) {
    await expect(desk.complete(attempt, bad)).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
  }
  await expect(desk.complete('another', message)).rejects.toMatchObject({ code: Code.NOT_FOUND });
  await desk.complete(attempt, message);
  expect(accepted).toEqual(['lab']);
});
