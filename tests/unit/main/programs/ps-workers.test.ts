import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../main/client/index.ts';
import program from '../../../../main/programs/ps-workers.ts';

function outcomes(finalValue: number, ...workers: readonly number[]): ReadonlyMap<string, Outcome> {
  const all = workers.map((index): [string, Outcome] => [`/job:worker/replica:0/task:${index}`, { additions: 5 }]);
  return new Map([['/job:ps/replica:0/task:0', { finalValue }], ...all]);
}

describe('the demo', () => {
  it.each([
    [10, [0, 1]],
    [25, [0, 1, 2, 3, 4]],
    [15, [0, 1, 7]],
  ])('is right with %d for workers %j: all that there are add five', (finalValue, workers) => {
    expect(program.check?.(outcomes(finalValue, ...workers))).toEqual([]);
  });

  it('is wrong when an addition was lost, or one of its two workers', () => {
    expect(program.check?.(outcomes(24, 0, 1, 2, 3, 4))).toEqual(['/job:ps/replica:0/task:0: finalValue is 24, but must be 25']);
    expect(program.check?.(outcomes(5, 0))).toHaveLength(2);
  });
});
