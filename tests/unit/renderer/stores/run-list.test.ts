import { expect, it } from 'vitest';
import type { RunInfo } from '#proto/ipc/contract.ts';
import { putRun } from '../../../../renderer/stores/run-list.ts';
import { clusterSummary, durationOf, isActive, toneOf } from '../../../../renderer/stores/run-state.ts';

const run = (id: string, startedAt: number) => ({ id, startedAt }) as RunInfo;

it('keeps the newest run first, and each once', () => {
  const runs = [run('b', 20), run('a', 10)];
  expect(putRun(runs, run('c', 30)).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  expect(putRun(runs, run('old', 5)).map(({ id }) => id)).toEqual(['b', 'a', 'old']);
  const changed = { ...run('a', 10), title: 'new' };
  expect(putRun(runs, changed)).toEqual([run('b', 20), changed]);
});

it('counts the tasks of each job', () => {
  expect(clusterSummary(['/job:ps/replica:0/task:0', '/job:worker/replica:0/task:0', '/job:worker/replica:0/task:1'])).toBe(
    'ps×1 worker×2',
  );
});

it('shows a wrong result as a failure', () => {
  expect(toneOf({ state: 'finished', problems: [] })).toBe('ok');
  expect(toneOf({ state: 'finished', problems: ['var is 9'] })).toBe('bad');
});

it('measures a run that goes on until now', () => {
  expect(durationOf({ startedAt: 100, endedAt: 0 }, 350)).toBe(250);
  expect(durationOf({ startedAt: 100, endedAt: 150 }, 350)).toBe(50);
  expect(
    (['starting', 'running', 'stopping', 'finished', 'failed', 'stopped'] as const).filter((state) => isActive({ state })),
  ).toHaveLength(3);
});
