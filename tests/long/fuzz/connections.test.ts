import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../../support/cluster.ts';
import type { TaskProcess } from '../../support/task-process.ts';
import { type Random, withSeed } from '../support/random.ts';
import { openFiles } from '../support/task-load.ts';
import { mutateBytes } from './mutate.ts';
import { expectAllClosed, expectHealth, say } from './raw-connection.ts';

const ROUNDS = 300;
let cluster: Cluster;
let task: TaskProcess;
let files: number;
beforeAll(async () => {
  cluster = await startCluster({ jobs: { l: 1 }, engine: 'bundled' });
  task = cluster.process('l', 0);
  await expectHealth(task);
  files = openFiles(task.pid);
});
afterAll(() => cluster?.stop());

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const [DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION] = [0, 1, 3, 4, 5, 6, 7, 8, 9];
const END_HEADERS = 4;

/** `length` is what the frame says of itself. */
function frame(type: number, flags: number, stream: number, payload: Uint8Array, length = payload.length): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** Literal header fields without index, as HPACK writes them when it does not compress. */
function headerBlock(fields: Readonly<Record<string, string>>): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
  return Buffer.concat(Object.entries(fields).flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

const callHeaders = headerBlock({
  ':method': 'POST',
  ':scheme': 'http',
  ':path': '/tensorflow.MasterService/RunStep',
  ':authority': 'x',
  'content-type': 'application/grpc',
  te: 'trailers',
});

/** A gRPC message that says it has `length` bytes. */
function grpcMessage(length: number, payload: Uint8Array, compressed = 0): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt8(compressed, 0);
  header.writeUInt32BE(length, 1);
  return Buffer.concat([header, payload]);
}

const open = [PREFACE, frame(SETTINGS, 0, 0, new Uint8Array(0)), frame(HEADERS, END_HEADERS, 1, callHeaders)];

it('what is written here by hand is HTTP/2: the task answers a call with headers', async () => {
  const answer = await say(task, ...open, frame(DATA, 1, 1, grpcMessage(0, new Uint8Array(0))));
  const types: number[] = [];
  for (let at = 0; at < answer.length; at += 9 + answer.readUIntBE(at, 3)) types.push(answer.readUInt8(at + 3));
  expect(types).toContain(SETTINGS);
  expect(types).toContain(HEADERS);
  expect(types).not.toContain(RST_STREAM);
});

describe('the port survives', () => {
  it('noise, with and without the preface of HTTP/2', () =>
    withSeed(async (random) => {
      for (let round = 0; round < ROUNDS; round++) {
        const noise = random.bytes(random.below(random.pick([10, 100, 5000])));
        await say(task, ...(random.chance(0.5) ? [PREFACE] : []), noise);
      }
      await expectHealth(task);
    }));

  it('frames of all types with random flags, streams and lengths', () =>
    withSeed(async (random) => {
      for (let round = 0; round < ROUNDS; round++) await say(task, ...open, ...Array.from({ length: 8 }, () => randomFrame(random)));
      await expectHealth(task);
    }));

  it('a call that is cut or changed anywhere', () =>
    withSeed(async (random) => {
      const whole = Buffer.concat([...open, frame(DATA, 1, 1, grpcMessage(4, random.bytes(4)))]);
      for (let round = 0; round < ROUNDS; round++)
        await say(task, random.chance(0.5) ? whole.subarray(0, random.below(whole.length)) : mutateBytes(random, whole));
      await expectHealth(task);
    }));

  it.each([
    ['a message of 4 GiB that never comes', [...open, frame(DATA, 0, 1, grpcMessage(2 ** 32 - 1, new Uint8Array(100)))]],
    ['a message that ends before its length', [...open, frame(DATA, 1, 1, grpcMessage(1000, new Uint8Array(10)))]],
    ['a compressed message that is not compressed', [...open, frame(DATA, 1, 1, grpcMessage(10, new Uint8Array(10), 1))]],
    ['a frame larger than allowed', [...open, frame(DATA, 1, 1, new Uint8Array(100), 2 ** 24 - 1)]],
    ['a request for the HTTP of another age', [Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')]],
    ['a TLS hello', [Buffer.from('16030100050100000100', 'hex')]],
    [
      'headers without an end',
      [...open.slice(0, 2), ...Array.from({ length: 200 }, (_, i) => frame(i === 0 ? HEADERS : CONTINUATION, 0, 1, callHeaders))],
    ],
    ['calls that are taken back at once', [...open.slice(0, 2), ...Array.from({ length: 2000 }, (_, i) => abandonedCall(2 * i + 1))]],
    [
      'floods of pings and settings',
      [...open, ...Array.from({ length: 2000 }, (_, i) => frame(i % 2 ? PING : SETTINGS, 0, 0, new Uint8Array(i % 2 ? 8 : 0)))],
    ],
  ])('%s', async (_, pieces) => {
    for (let round = 0; round < 20; round++) await say(task, ...pieces);
    await expectHealth(task);
  });
});

it('leaves no connection behind', () => expectAllClosed(task, files));

function abandonedCall(stream: number): Buffer {
  return Buffer.concat([frame(HEADERS, END_HEADERS, stream, callHeaders), frame(RST_STREAM, 0, stream, Buffer.from([0, 0, 0, 8]))]);
}

function randomFrame(random: Random): Buffer {
  const type = random.pick([DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION, 255]);
  const payload = random.bytes(random.below(64));
  const length = random.chance(0.7) ? payload.length : random.below(2 ** 16);
  return frame(type, random.below(256), random.pick([0, 1, 2, 3, 2 ** 31 - 1]), payload, length);
}
