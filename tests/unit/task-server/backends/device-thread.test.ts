import { afterAll, beforeAll } from 'vitest';
import { cpuBackends } from '../../../../task-server/backends/backends.ts';
import { threadOpener } from '../../../../task-server/backends/device-channel.ts';
import { ThreadPool } from '../../../../task-server/backends/thread-pool.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { kernelSpecs } from '../../../../task-server/kernels/index.ts';
import { kernelSuite } from '../../../support/kernel-suite.ts';
import { type BuiltEntry, buildEntry } from './support/build-entry.ts';

// Every recorded case on the real program of a device thread: what travels there and back is what TensorFlow answered.
let entry: BuiltEntry;
let pool: ThreadPool;

beforeAll(async () => {
  entry = await buildEntry('task-server/backends/device-thread.ts');
  const open = threadOpener(entry.url, { backends: cpuBackends, cores: 2, type: 'CPU' });
  pool = new ThreadPool({ device: 'CPU:0', size: 2, open, log: () => {} });
});

afterAll(async () => {
  await pool.dispose();
  entry.remove();
});

const registry = new KernelRegistry(kernelSpecs);

kernelSuite({ backend: 'a device thread', run: (call) => pool.run(call) }, { includes: (op) => registry.has(op, 'CPU') });
