import { expect, it } from 'vitest';
import { countByDevice, devicesOfProgram, isElsewhere } from '../../../../renderer/features/graph/devices.ts';

it('lists the devices of the cluster that a program wants', () => {
  expect(devicesOfProgram({ cluster: { ps: 1, worker: 2 }, virtualGpus: 1 })).toEqual([
    '/job:ps/replica:0/task:0/device:CPU:0',
    '/job:ps/replica:0/task:0/device:GPU:0',
    '/job:worker/replica:0/task:0/device:CPU:0',
    '/job:worker/replica:0/task:0/device:GPU:0',
    '/job:worker/replica:0/task:1/device:CPU:0',
    '/job:worker/replica:0/task:1/device:GPU:0',
  ]);
});

it('counts nodes by device, ps before workers', () => {
  const [ps, worker] = ['/job:ps/replica:0/task:0/device:CPU:0', '/job:worker/replica:0/task:0/device:CPU:0'];
  expect(countByDevice({ a: worker, b: ps, c: worker })).toEqual([
    { device: ps, nodes: 1 },
    { device: worker, nodes: 2 },
  ]);
});

it('knows the short name of a device for the same as its full one', () => {
  expect(isElsewhere('/job:ps/task:0', '/job:ps/replica:0/task:0/device:CPU:0')).toBe(false);
  expect(isElsewhere('/job:ps/task:0', '/job:ps/task:1')).toBe(true);
  expect(isElsewhere('', '/job:ps/task:1')).toBe(false);
});
