import { afterAll, beforeAll, describe, it } from 'vitest';
import { HEADER_BYTES, Kind, MAGIC, writeHeader } from '../../../task-server/service/link/frame.ts';
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

interface FrameInit {
  readonly kind: Kind;
  readonly call?: number;
  readonly name?: string;
  readonly message?: Uint8Array;
  /** What the header says, where that is not the truth. */
  readonly size?: number;
  readonly total?: number;
}

function frame({ kind, call = 1, name = '', message = new Uint8Array(0), size, total = message.length }: FrameInit): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + name.length + message.length);
  writeHeader(bytes, { kind, call, total, size: size ?? name.length + message.length, nameSize: name.length, lead: 0 });
  bytes.write(name, HEADER_BYTES, 'latin1');
  bytes.set(message, HEADER_BYTES + name.length);
  return bytes;
}

const hello = frame({ kind: Kind.HELLO, call: 0, message: Buffer.from('/job:x/replica:0/task:0\n127.0.0.1:1') });
const request = frame({ kind: Kind.REQUEST, name: 'GetStatus' });
const GIANT = 2 ** 31 - 1;

describe('the link survives', () => {
  it('noise behind its first bytes', () =>
    withSeed(async (random) => {
      for (let round = 0; round < ROUNDS; round++) {
        await say(task, MAGIC, ...(random.chance(0.5) ? [hello] : []), random.bytes(random.below(random.pick([4, 40, 4000]))));
      }
      await expectHealth(task);
    }));

  it('frames of all kinds in any order', () =>
    withSeed(async (random) => {
      for (let round = 0; round < ROUNDS; round++) await say(task, MAGIC, hello, ...Array.from({ length: 10 }, () => randomFrame(random)));
      await expectHealth(task);
    }));

  it('a call that is cut or changed anywhere', () =>
    withSeed(async (random) => {
      const whole = Buffer.concat([MAGIC, hello, request, frame({ kind: Kind.CANCEL }), request]);
      for (let round = 0; round < ROUNDS; round++) {
        await say(task, random.chance(0.5) ? whole.subarray(0, random.below(whole.length)) : mutateBytes(random, whole));
      }
      await expectHealth(task);
    }));

  it.each([
    ['messages of 2 GiB that never come', Array.from({ length: 500 }, (_, i) => unfinished(2 * i + 1))],
    ['a flood of calls that are taken back at once', Array.from({ length: 5000 }, (_, i) => parkedAndCancelled(2 * i + 1))],
    ['a flood of calls on one number', new Array<Buffer>(5000).fill(request)],
    ['a flood of pings', new Array<Buffer>(20_000).fill(frame({ kind: Kind.PING }))],
    ['answers to calls that nobody made', new Array<Buffer>(1000).fill(frame({ kind: Kind.RESPONSE, call: 2, message: Buffer.alloc(9) }))],
  ])('%s', async (_, frames) => {
    for (let round = 0; round < 5; round++) await say(task, MAGIC, hello, ...frames);
    await expectHealth(task);
  });
});

it('leaves no connection behind', () => expectAllClosed(task, files));

function unfinished(call: number): Buffer {
  return frame({ kind: Kind.REQUEST, call, name: 'RunGraph', size: 'RunGraph'.length + 1, total: GIANT, message: Buffer.alloc(1) });
}

/** A RecvTensor that waits for a value which nobody sends is refused for its key; what counts is the number of calls. */
function parkedAndCancelled(call: number): Buffer {
  return Buffer.concat([
    frame({ kind: Kind.REQUEST, call, name: 'RecvTensor', message: Buffer.from([8, 1]) }),
    frame({ kind: Kind.CANCEL, call }),
  ]);
}

function randomFrame(random: Random): Buffer {
  const kind = random.pick(Object.values(Kind));
  const isNamed = kind === Kind.REQUEST || kind === Kind.NOTICE;
  const name = isNamed ? random.pick(['GetStatus', 'RunGraph', 'RecvTensor', 'PushTensor', 'CleanupGraph', 'Logging', 'x']) : '';
  const message = random.bytes(random.below(40));
  const total = random.chance(0.8) ? message.length : random.pick([0, 1, 100_000, GIANT]);
  return frame({
    kind,
    call: random.below(6),
    name,
    message: kind === Kind.MORE && message.length === 0 ? Uint8Array.of(1) : message,
    total: kind === Kind.MORE ? 0 : total,
  });
}
