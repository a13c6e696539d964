import { describe, expect, it } from 'vitest';
import { compareDevices, deviceColor, deviceLabel } from '../../../../renderer/components/device.ts';

const cluster = (jobs: Readonly<Record<string, number>>) =>
  Object.entries(jobs).flatMap(([job, count]) => Array.from({ length: count }, (_, task) => `/job:${job}/replica:0/task:${task}`));

describe('deviceColor', () => {
  it.each([
    ['1 ps and 8 workers', { ps: 1, worker: 8 }],
    ['2 canshu and 2 gongzuo', { canshu: 2, gongzuo: 2 }],
    ['A, B, C and D', { A: 1, B: 1, C: 1, D: 1 }],
    ['ten of a job', { local: 10 }],
  ])('tells %s apart', (_name, jobs) => {
    const tasks = cluster(jobs);
    expect(new Set(tasks.map(deviceColor)).size).toBe(tasks.length);
  });

  it('is the same for a task, its short name and its CPU, and another for its cards', () => {
    const names = ['/job:worker/task:1', '/job:worker/replica:0/task:1', '/job:worker/replica:0/task:1/device:CPU:0'];
    expect(new Set(names.map(deviceColor)).size).toBe(1);
    const cards = [0, 1].map((card) => deviceColor(`/job:worker/replica:0/task:1/device:GPU:${card}`));
    expect(new Set([...cards, deviceColor('/job:worker/task:1')]).size).toBe(3);
  });

  it('is that of quiet text for what is no device', () => {
    expect(deviceColor('client')).toBe('var(--muted)');
  });
});

it.each([
  ['/job:ps/replica:0/task:0', 'ps 0'],
  ['/job:ps/replica:0/task:0/device:CPU:0', 'ps 0'],
  ['/job:worker/replica:0/task:12/device:GPU:1', 'worker 12 · GPU:1'],
  ['lanflow', 'lanflow'],
])('deviceLabel of %s is %s', (name, label) => {
  expect(deviceLabel(name)).toBe(label);
});

it('U06: compareDevices puts ps before workers, task 10 after task 9, and the rest at the end', () => {
  const sorted = ['client', '/job:worker/task:10', '/job:worker/task:9', '/job:a/task:0', '/job:ps/task:0'].sort(compareDevices);
  expect(sorted).toEqual(['/job:ps/task:0', '/job:worker/task:9', '/job:worker/task:10', '/job:a/task:0', 'client']);
});
