import { processOpener, threadOpener } from '../../../../../task-server/backends/device-channel.ts';
import { ThreadPool } from '../../../../../task-server/backends/thread-pool.ts';
import { call, scalar } from './test-kernels.ts';

// Makes one call on a device thread or process and then has nothing left to do.
const [, , url = '', kind] = process.argv;
const setup = { backends: [], cores: 1, type: 'CPU' } as const;
const open = kind === 'process' ? processOpener(new URL(url), setup, {}) : threadOpener(new URL(url), setup);
const pool = new ThreadPool({ device: 'CPU:0', size: 1, open, log: () => {} });
const [output] = await pool.run(call('Double', [scalar(21)]));
console.log(output?.data[0]);
