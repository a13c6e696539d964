import { beforeEach, describe, expect, it } from 'vitest';
import { ClusterSpec } from '../../../../main/client/index.ts';
import { placedTasks } from '../../../../main/cluster/placed-task.ts';
import { checkReach } from '../../../../main/cluster/reach-check.ts';
import { FakeMachine, fakeMachines } from './fake-machines.ts';

const draft = (index: number, machine: string) => ({ index, machine, engine: 'bundled' as const, port: 0, virtualGpus: 0 });
const tasks = placedTasks({ id: 'c', jobs: [{ name: 'worker', tasks: [draft(0, 'lab-1'), draft(1, 'lab-2'), draft(2, 'lab-2')] }] });
const formation = { startId: 'f', spec: new ClusterSpec({ worker: ['10.0.0.1:2222', '10.0.0.2:2222', '10.0.0.2:2223'] }) };

describe('tasks on several machines', () => {
  let [one, two] = [new FakeMachine('lab-1', () => undefined), new FakeMachine('lab-2', () => undefined)];
  const check = () => checkReach(tasks, formation, fakeMachines([one, two]));

  beforeEach(() => {
    [one, two] = [new FakeMachine('lab-1', () => undefined), new FakeMachine('lab-2', () => undefined)];
  });

  it('may start when each machine reaches the tasks of the others', async () => {
    await expect(check()).resolves.toBeUndefined();
  });

  it('may not when one does not: both machines, the task, its address and the way out are named', async () => {
    one.reach = 'no answer';
    await expect(check()).rejects.toMatchObject({
      codeName: 'UNAVAILABLE',
      message: expect.stringMatching(
        /^lab-1 cannot connect to \/job:worker\/replica:0\/task:1 on lab-2 at 10\.0\.0\.2:2222: no answer \(and 1 more such pairs\)\. .*ufw allow 2222\/tcp/,
      ),
    });
  });

  it('are all checked, also when there are more of them than an agent tries at a time', async () => {
    const many = Array.from({ length: 70 }, (_, index) => draft(index + 1, 'lab-2'));
    const jobs = [{ name: 'worker', tasks: [draft(0, 'lab-1'), ...many] }];
    const spec = new ClusterSpec({ worker: ['10.0.0.1:2222', ...many.map(({ index }) => `10.0.0.2:${3000 + index}`)] });
    const checkMany = () => checkReach(placedTasks({ id: 'c', jobs }), { startId: 'f', spec }, fakeMachines([one, two]));
    await expect(checkMany()).resolves.toBeUndefined();
    one.reach = 'refused';
    await expect(checkMany()).rejects.toThrow(/task:1 on lab-2 .*and 69 more such pairs/);
  });

  it('need a common network, which no firewall rule replaces', async () => {
    two.reach = 'no route';
    await expect(check()).rejects.toThrow(/^lab-2 cannot connect to .* on lab-1 .*: no route\. Put both machines on one network/);
  });
});
