import { expect, it } from 'vitest';
import type { TaskInfo } from '#proto/ipc/contract.ts';
import { fits } from '../../../../renderer/features/programs/fits.ts';

const tasks = (count: number, virtualGpus = 0) => Array.from({ length: count }, (_, index) => ({ index, virtualGpus }) as TaskInfo);
const cluster = {
  jobs: [
    { name: 'ps', tasks: tasks(1) },
    { name: 'worker', tasks: tasks(3, 2) },
  ],
};

it.each([
  ['as many tasks', { ps: 1, worker: 3 }, 0, true],
  ['fewer tasks', { worker: 2 }, 0, true],
  ['more tasks', { ps: 2 }, 0, false],
  ['a job that is not there', { chief: 1 }, 0, false],
  ['as many cards', { worker: 1 }, 2, true],
  ['cards where there are none', { ps: 1 }, 1, false],
  ['no cluster', {}, 0, true],
])('a program that wants %s: %o with %d cards fits: %s', (_case, wanted, virtualGpus, expected) => {
  expect(fits({ cluster: wanted, virtualGpus }, cluster)).toBe(expected);
});
