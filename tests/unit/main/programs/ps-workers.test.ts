import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../main/client/index.ts';
import program from '../../../../main/programs/ps-workers.ts';

function outcomes(finalValue: number, workers: number): ReadonlyMap<string, Outcome> {
  const all = Array.from({ length: workers }, (_, index): [string, Outcome] => [`/job:worker/replica:0/task:${index}`, { additions: 5 }]);
  return new Map([['/job:ps/replica:0/task:0', { finalValue }], ...all]);
}

describe('the demo', () => {
  it.each([
    [10, 2],
    [25, 5],
  ])('is right with %d for %d workers: all that there are add five', (finalValue, workers) => {
    expect(program.check?.(outcomes(finalValue, workers))).toEqual([]);
  });

  it('is wrong when an addition was lost, or one of its two workers', () => {
    expect(program.check?.(outcomes(24, 5))).toEqual(['/job:ps/replica:0/task:0: finalValue is 24, but must be 25']);
    expect(program.check?.(outcomes(5, 1))).toHaveLength(2);
  });
});
