import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import { processOpener } from '../../../../task-server/backends/device-channel.ts';
import { ThreadPool } from '../../../../task-server/backends/thread-pool.ts';
import { type BuiltEntry, buildEntry } from './support/build-entry.ts';
import { call, counting, scalar, tensor } from './support/test-kernels.ts';

let entry: BuiltEntry;
let pool: ThreadPool;

beforeAll(async () => {
  entry = await buildEntry('tests/unit/task-server/backends/support/test-thread.ts');
  const open = processOpener(entry.url, { backends: [], cores: 1, type: 'GPU' }, { CUDA_VISIBLE_DEVICES: '3' });
  pool = new ThreadPool({ device: 'GPU:3', size: 1, open, log: () => {} });
});

afterAll(async () => {
  await pool.dispose();
  entry.remove();
});

async function processId(): Promise<number> {
  const [id] = await pool.run(call('ProcessId'));
  return Number(id?.data[0]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

it('a device process computes, with large, 64-bit and text elements passing through its pipe', async () => {
  const inputs: Tensor[] = [
    counting(300, 300),
    tensor('int64', [2], BigInt64Array.of(-(2n ** 63n), 5n)),
    tensor('string', [1], [new TextEncoder().encode('one')]),
    scalar(0.1),
  ];
  const outputs = await pool.run(call('Heavy', inputs));
  expect(outputs.map(({ dtype, shape, data }) => ({ dtype, shape, data: [...data] }))).toEqual(
    inputs.map(({ dtype, shape, data }) => ({ dtype, shape, data: [...data] })),
  );
  expect(await processId()).not.toBe(process.pid);
});

it('a device process that ends fails its call, and another one takes its place', async () => {
  const before = await processId();
  await expect(pool.run(call('Exit'))).rejects.toMatchObject({
    code: Code.INTERNAL,
    message: expect.stringContaining('the process ended with exit code 7'),
  });
  expect(await processId()).not.toBe(before);
});

it('disposing ends the process even while it computes', async () => {
  const pid = await processId();
  const running = pool.run(call('Spin', [scalar(60_000)]));
  const ended = expect(running).rejects.toMatchObject({ code: Code.CANCELLED });
  await sleep(50);
  await pool.dispose();
  await ended;
  expect(isAlive(pid)).toBe(false);
});

it.each(['thread', 'process'])('an idle device %s does not keep its program from ending', async (kind) => {
  const program = await buildEntry('tests/unit/task-server/backends/support/idle-program.ts');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(program.url), entry.url.href, kind], { timeout: 8000 });
    expect(stdout).toBe('42\n');
  } finally {
    program.remove();
  }
});
