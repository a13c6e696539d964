import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { yieldToOthers } from '../../../../../task-server/agent/tasks/priority.ts';

it('a task’s process yields to others, one that is gone is told of, and none is never the own one', async () => {
  const own = getPriority();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await once(child, 'spawn');
  expect(yieldToOthers(child.pid ?? 0)).toBeUndefined();
  expect(getPriority(child.pid)).toBe(Math.max(own, constants.priority.PRIORITY_BELOW_NORMAL));
  child.kill('SIGKILL');
  await exited;
  expect(yieldToOthers(child.pid ?? 0)).toMatch(/ESRCH/);
  expect(yieldToOthers(0)).toBeUndefined();
  expect(getPriority()).toBe(own);
});
