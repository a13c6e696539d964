import { expect, it } from 'vitest';
import { Accelerator, type BackendSpec, createBackend } from '../../../../task-server/backends/accelerated.ts';
import { ACCELERATED_UNITS } from '../../../../task-server/backends/cost.ts';
import { call, scalar } from './support/test-kernels.ts';

interface Library {
  readonly factor: number;
}

function backend(name: string, open: () => Promise<Library>, accepts = () => true) {
  const spec: BackendSpec<Library> = {
    name,
    package: name,
    kernels: [{ op: 'Times', accepts, compute: ({ factor }) => [scalar(factor)] }],
    open,
  };
  return createBackend(spec, { cores: 1 });
}

const HEAVY = ACCELERATED_UNITS;

it('opens a library once, at the first heavy call of an op that it computes', async () => {
  let opened = 0;
  const counted = backend('a', async () => ({ factor: ++opened }));
  const accelerator = new Accelerator([counted], () => {});
  expect(await accelerator.compute(call('Times'), HEAVY - 1)).toBeUndefined();
  expect(await accelerator.compute(call('Other'), HEAVY)).toBeUndefined();
  expect(opened).toBe(0);
  await accelerator.compute(call('Times'), HEAVY);
  expect(await accelerator.compute(call('Times'), HEAVY)).toEqual([scalar(1)]);
  expect(opened).toBe(1);
});

it('takes the first backend that accepts the call', async () => {
  const choosy = backend(
    'a',
    async () => ({ factor: 1 }),
    () => false,
  );
  const other = backend('b', async () => ({ factor: 2 }));
  expect(await new Accelerator([choosy, other], () => {}).compute(call('Times'), HEAVY)).toEqual([scalar(2)]);
});

it('reports a backend that fails once and goes on with the next, in the end with our own code', async () => {
  const lines: string[] = [];
  const broken = backend('broken', () => Promise.reject(new Error('libgomp.so.1: cannot open shared object file')));
  const accelerator = new Accelerator([broken, backend('b', async () => ({ factor: 2 }))], (text) => lines.push(text));
  expect(await accelerator.compute(call('Times'), HEAVY)).toEqual([scalar(2)]);
  expect(await accelerator.compute(call('Times'), HEAVY)).toEqual([scalar(2)]);
  expect(lines).toEqual(['Backend broken failed and is not used any more by this thread: libgomp.so.1: cannot open shared object file']);
  expect(await new Accelerator([broken], () => {}).compute(call('Times'), HEAVY)).toBeUndefined();
});
