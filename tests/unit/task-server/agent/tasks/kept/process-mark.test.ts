import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { isThere, markOf } from '../../../../../../task-server/agent/tasks/kept/process-mark.ts';

describe('the mark of a process', () => {
  it('is that of this process as long as it is there', async () => {
    const child = spawn('sleep', ['100']);
    const mark = markOf(child.pid ?? 0);
    expect([isThere(mark), isThere(markOf(process.pid))]).toEqual([true, true]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isThere(mark)).toBe(false);
  });

  it.each([
    ['began at another time', { began: '1' }],
    ['belongs to another start of the machine', { boot: 'another' }],
    ['was never there', { began: '' }],
  ])('is not that of a process that %s', (_, other) => {
    expect(isThere({ ...markOf(process.pid), ...other })).toBe(false);
  });

  it('of a process that has ended, of which its parent has not heard, counts for none', async () => {
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 100'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [pid] = await once(parent.stdout, 'data');
    await expect.poll(() => markOf(Number(pid)).began).toBe('');
    parent.kill('SIGKILL');
  });
});
