import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Code, cancelled } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { threadOpener } from '../../../../task-server/backends/device-channel.ts';
import { ThreadPool, type ThreadPoolOptions } from '../../../../task-server/backends/thread-pool.ts';
import { type BuiltEntry, buildEntry } from './support/build-entry.ts';
import { attrs, call, counting, scalar, tensor } from './support/test-kernels.ts';

const device = '/job:w/replica:0/task:0/device:CPU:0';

let entry: BuiltEntry;
let pool: ThreadPool;
let lines: string[];

beforeAll(async () => {
  entry = await buildEntry('tests/unit/task-server/backends/support/test-thread.ts');
});

afterAll(() => entry.remove());

afterEach(() => pool.dispose());

function start(options: Partial<ThreadPoolOptions> = {}): ThreadPool {
  lines = [];
  const open = threadOpener(entry.url, { backends: [], cores: 1, type: 'CPU' });
  pool = new ThreadPool({ device, size: 2, open, log: (text) => lines.push(text), ...options });
  return pool;
}

describe('what travels', () => {
  it('large elements without a copy, both ways', async () => {
    const input = counting(256, 256);
    const [output] = await start().run(call('Heavy', [input]));
    expect(output?.shape).toEqual([256, 256]);
    input.data[7] = -1;
    expect(output?.data[7]).toBe(-1);
  });

  it('large elements that are not shared, as a shared copy', async () => {
    const input = tensor('float', [40_000], new Float32Array(40_000).fill(3));
    const [shared] = await start().run(call('IsShared', [input]));
    expect(shared?.data[0]).toBe(1);
    expect(input.data).toHaveLength(40_000);
  });

  it('a view without the buffer that it is cut from', async () => {
    const view = new Float32Array(new ArrayBuffer(60_000), 400, 3);
    const [bytes] = await start().run(call('BufferBytes', [tensor('float', [3], view)]));
    expect(bytes?.data[0]).toBe(12);
  });

  it('attrs, and the kernel is chosen by their types', async () => {
    const [text] = await start().run(call('TextOf', [], attrs({ text: 'grüezi' })));
    expect(new TextDecoder().decode(text?.data[0] as Uint8Array)).toBe('grüezi');
    await expect(pool.run(call('HeavyFloats', [scalar(1)], attrs({ T: { type: 'int32' } })))).rejects.toMatchObject({
      code: Code.NOT_FOUND,
    });
  });

  it('every kind of element', async () => {
    const handle = { device, container: 'w', name: 'v', hashCode: 2n ** 63n, typeName: 'Var' };
    const inputs: Tensor[] = [
      tensor('string', [2], [Buffer.from('one'), new TextEncoder().encode('')]),
      tensor('int64', [2], BigInt64Array.of(-(2n ** 63n), 5n)),
      tensor('bool', [1], Uint8Array.of(1)),
      tensor('uint8', [2], Buffer.from([1, 2])),
      tensor('half', [1], Uint16Array.of(0x3c00)),
      tensor('resource', [], [handle]),
      tensor('float', [0, 3], new Float32Array(0)),
    ];
    const outputs = await start().run(call('Heavy', inputs));
    const plain = (tensors: readonly Tensor[]) => tensors.map(({ dtype, shape, data }) => [dtype, shape, [...data].map(elementText)]);
    expect(plain(outputs)).toEqual(plain(inputs));
  });

  it('errors with their code and details; bugs as INTERNAL; impossible sizes as RESOURCE_EXHAUSTED', async () => {
    start();
    await expect(pool.run(call('Fail'))).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: 'bad value',
      details: { why: 'test' },
    });
    await expect(pool.run(call('Bug'))).rejects.toMatchObject({
      code: Code.INTERNAL,
      message: "The kernel of node 'n' (op Bug) failed: x is undefined",
    });
    await expect(pool.run(call('TooLarge'))).rejects.toMatchObject({ code: Code.RESOURCE_EXHAUSTED });
    await expect(pool.run(call('Stateful'))).rejects.toMatchObject({ code: Code.INTERNAL });
  });
});

describe('threads', () => {
  it('work side by side up to the size of the pool, and are started only when needed', async () => {
    let opened = 0;
    const open = threadOpener(entry.url, { backends: [], cores: 1, type: 'CPU' });
    start({
      open: (listener) => {
        opened += 1;
        return open(listener);
      },
    });
    expect(opened).toBe(0);
    await pool.run(call('Heavy'));
    await pool.run(call('Heavy'));
    expect(opened).toBe(1);
    await Promise.all([1, 2, 3, 4].map(() => pool.run(call('Heavy'))));
    expect(opened).toBe(2);
  });

  it('leave the event loop alone while they compute', async () => {
    start();
    await pool.run(call('Heavy'));
    let isSpinning = true;
    const spinning = pool.run(call('Spin', [scalar(400)])).finally(() => {
      isSpinning = false;
    });
    let turns = 0;
    for (; isSpinning; turns++) await sleep(10);
    await spinning;
    expect(turns).toBeGreaterThan(10);
  });

  it('that end fail their own call with INTERNAL and are replaced', async () => {
    start({ size: 1 });
    const broken = pool.run(call('Exit'));
    const next = pool.run(call('Double', [counting(2)]));
    await expect(broken).rejects.toMatchObject({
      code: Code.INTERNAL,
      message: `A thread of device ${device} ended while it computed node 'n' (op Exit): the thread ended with exit code 7. It is replaced when it is needed next.`,
    });
    expect((await next)[0]?.data).toEqual(Float32Array.of(0, 2));
    expect(lines).toHaveLength(1);
  });

  it('that cannot start fail the call instead of waiting', async () => {
    const open = threadOpener(new URL('file:///no/such/device-thread.js'), { backends: [], cores: 1, type: 'CPU' });
    start({ open });
    await expect(pool.run(call('Heavy'))).rejects.toMatchObject({ code: Code.INTERNAL, message: expect.stringContaining('no/such') });
  });
});

describe('cancellation', () => {
  it('rejects at once with the reason, and drops a queued call', async () => {
    start({ size: 1 });
    const order: string[] = [];
    const spinning = pool.run(call('Spin', [scalar(300)])).then(() => order.push('spun'));
    const abort = new AbortController();
    const queued = pool.run(call('Exit'), abort.signal);
    const reason = cancelled('step was cancelled');
    abort.abort(reason);
    await expect(queued).rejects.toBe(reason);
    expect(order).toEqual([]);
    await spinning;
    await pool.run(call('Heavy'));
    expect(lines).toEqual([]);
  });

  it('rejects a running call at once and lets the next one wait for the thread', async () => {
    start({ size: 1 });
    await pool.run(call('Heavy'));
    const order: string[] = [];
    const abort = new AbortController();
    const running = pool.run(call('Spin', [scalar(300)]), abort.signal).catch((error) => order.push(error.message));
    const next = pool.run(call('Heavy')).then(() => order.push('next'));
    await sleep(20);
    abort.abort(cancelled('enough'));
    await running;
    expect(order).toEqual(['enough']);
    await next;
    expect(lines).toEqual([]);
  });

  it('stops a thread that goes on for too long, and goes on with a new one', async () => {
    start({ size: 1, graceMs: 100 });
    await pool.run(call('Heavy'));
    const abort = new AbortController();
    const running = pool.run(call('Spin', [scalar(60_000)]), abort.signal);
    const next = pool.run(call('Double', [counting(2)]));
    await sleep(20);
    abort.abort(cancelled('enough'));
    await expect(running).rejects.toThrow('enough');
    expect((await next)[0]?.data[1]).toBe(2);
  });

  it('refuses a call that is already cancelled', async () => {
    await expect(start().run(call('Heavy'), AbortSignal.abort(cancelled('late')))).rejects.toThrow('late');
  });

  it('ends every call when the pool is disposed', async () => {
    start({ size: 1 });
    const running = pool.run(call('Spin', [scalar(60_000)]));
    const queued = pool.run(call('Heavy'));
    const ended = Promise.allSettled([running, queued]);
    await pool.dispose();
    const codes = (await ended).map((result) => result.status === 'rejected' && result.reason.code);
    expect(codes).toEqual([Code.CANCELLED, Code.CANCELLED]);
    await expect(pool.run(call('Heavy'))).rejects.toMatchObject({ code: Code.UNAVAILABLE });
  });
});

function elementText(element: unknown): string {
  if (element instanceof Uint8Array) return new TextDecoder().decode(element);
  return typeof element === 'object' ? Object.values(element as object).join() : String(element);
}
