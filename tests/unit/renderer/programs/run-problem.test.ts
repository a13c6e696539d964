import { describe, expect, it } from 'vitest';
import type { RunInfo } from '#proto/ipc/contract.ts';
import { failureOf, placeIn, runProblem } from '../../../../renderer/features/programs/run-problem.ts';

describe('the line at which a run failed', () => {
  it.each([
    [
      'a stack',
      'TypeError: x is not a function\n    at Object.run (/home/ada/.local/lanflow/programs/sgd.ts:12:9)',
      { line: 12, column: 9 },
    ],
    ['the bundler', 'Build failed with 1 error:\n/data/programs/sgd.ts:3:14: ERROR: Expected ";"', { line: 3, column: 14 }],
    ['its short name', 'own/sgd.ts:7 is wrong', { line: 7, column: 1 }],
    ['a path of Windows', '    at run (C:\\lanflow\\programs\\sgd.js:4:2)', { line: 4, column: 2 }],
    ['a file of another name', 'at /data/programs/my-sgd.ts:12:9', undefined],
    ['no file', 'Variable w has no value', undefined],
  ])('is found in %s', (_where, text, place) => {
    expect(placeIn('own/sgd', text)).toEqual(place);
  });

  it('is found for a module by its path too', () => {
    expect(placeIn('/home/ada/sgd.ts', 'at /home/ada/sgd.ts:2:1')).toEqual({ line: 2, column: 1 });
  });

  it('becomes a problem with what the run says, from the first text that names it', () => {
    expect(runProblem('own/sgd', 'Run of 10:42: no', ['no', 'at sgd.ts:2:3'])).toEqual({
      severity: 'error',
      line: 2,
      column: 3,
      endLine: 2,
      endColumn: 3,
      text: 'Run of 10:42: no',
    });
    expect(runProblem('own/sgd', 'no', ['no', 'no'])).toBeUndefined();
  });
});

describe('the failure that a program is shown with', () => {
  const run = (id: string, state: RunInfo['state'], startedAt: number, program = 'own/sgd') =>
    ({ id, state, startedAt, program }) as RunInfo;

  it('is that of its newest run', () => {
    const runs = [run('c', 'failed', 30, 'own/other'), run('b', 'failed', 20), run('a', 'finished', 10)];
    expect(failureOf('own/sgd', runs, 0)?.id).toBe('b');
  });

  it('is none when it has run well since, or was changed since', () => {
    const runs = [run('a', 'failed', 10), run('b', 'finished', 20)];
    expect(failureOf('own/sgd', runs, 0)).toBeUndefined();
    expect(failureOf('own/sgd', runs.slice(0, 1), 11)).toBeUndefined();
  });
});
