import { expect, it } from 'vitest';
import { Code, cancelled } from '#proto/wire/status.ts';
import { INLINE_UNITS } from '../../../../task-server/backends/cost.ts';
import type { OpenChannel } from '../../../../task-server/backends/device-channel.ts';
import { ThreadComputer } from '../../../../task-server/backends/thread-computer.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { attrs, call, counting, scalar, testKernels } from './support/test-kernels.ts';

/** A thread that answers each call with its op's inputs and counts them. */
function echo(): { open: OpenChannel; posted: string[] } {
  const posted: string[] = [];
  const open: OpenChannel = (listener) => ({
    post: ({ op, inputs }) => {
      posted.push(op);
      queueMicrotask(() => listener.message({ kind: 'done', outputs: inputs }));
    },
    hold: () => {},
    release: () => {},
    close: async () => {},
  });
  return { open, posted };
}

function computerOn(open: OpenChannel): ThreadComputer {
  return new ThreadComputer({
    backend: 'own kernels',
    type: 'CPU',
    kernels: new KernelRegistry(testKernels),
    inlineUnits: INLINE_UNITS,
    pool: { device: 'CPU:0', size: 1, open, log: () => {} },
  });
}

it('answers a cheap call at once and sends a heavy one away', async () => {
  const { open, posted } = echo();
  const computer = computerOn(open);
  const input = scalar(1);
  expect(computer.run(call('Light', [input]))).toEqual([input]);
  expect(posted).toEqual([]);
  expect(await computer.run(call('Heavy', [input]))).toEqual([input]);
  expect(posted).toEqual(['Heavy']);
});

it('counts the elements of all inputs where the kernel names no cost, and more for 64-bit integers', () => {
  const { open } = echo();
  const computer = new ThreadComputer({
    backend: 'own kernels',
    type: 'CPU',
    kernels: new KernelRegistry([{ op: 'Id', kind: 'pure', compute: (inputs) => [...inputs] }]),
    inlineUnits: 1000,
    pool: { device: 'CPU:0', size: 1, open, log: () => {} },
  });
  expect(computer.run(call('Id', [counting(500), counting(500)]))).toBeInstanceOf(Array);
  expect(computer.run(call('Id', [counting(500), counting(501)]))).toBeInstanceOf(Promise);
  const wide = { dtype: 'int64', shape: [101], data: new BigInt64Array(101) } as const;
  expect(computer.run(call('Id', [wide]))).toBeInstanceOf(Promise);
});

it('tells two ops with the same attrs apart', () => {
  const computer = computerOn(echo().open);
  const shared = attrs();
  expect(computer.run(call('Light', [scalar(1)], shared))).toBeInstanceOf(Array);
  expect(computer.run(call('Heavy', [scalar(1)], shared))).toBeInstanceOf(Promise);
});

it('throws what a cheap kernel throws, the reason of a cancelled step, and NOT_FOUND for unknown ops', () => {
  const computer = computerOn(echo().open);
  expect(() => computer.run(call('Light'), AbortSignal.abort(cancelled('late')))).toThrow('late');
  expect(() => computer.run(call('Nothing'))).toThrow(expect.objectContaining({ code: Code.NOT_FOUND }));
});
