import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SourceProblem } from '#proto/ipc/contract.ts';
import { unavailable } from '#proto/wire/status.ts';
import { CheckFollower, type CheckState } from '../../../../renderer/features/programs/check-follower.ts';

const problem = (text: string): SourceProblem => ({ severity: 'error', line: 1, column: 1, endLine: 1, endColumn: 2, text });

describe('the check of a text that changes', () => {
  const asked: string[] = [];
  let answers: ((problems: readonly SourceProblem[]) => void)[];
  let state: CheckState;
  let follower: CheckFollower;
  let fails: boolean;
  beforeEach(() => {
    vi.useFakeTimers();
    asked.length = 0;
    answers = [];
    fails = false;
    follower = new CheckFollower({
      check: (source) => {
        asked.push(source);
        return fails ? Promise.reject(unavailable('gone')) : new Promise((resolve) => answers.push(resolve));
      },
      publish: (next) => {
        state = next;
      },
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const pause = () => vi.advanceTimersByTimeAsync(400);

  it('waits for a pause, then tells the problems', async () => {
    follower.follow('a');
    await vi.advanceTimersByTimeAsync(100);
    follower.follow('ab');
    await pause();
    expect([asked, state.isChecking]).toEqual([['ab'], true]);
    answers[0]?.([problem('x')]);
    await pause();
    expect(state).toEqual({ problems: [problem('x')], isChecking: false });
  });

  it('asks once more for what was typed meanwhile, and shows the old problems until then', async () => {
    follower.follow('a');
    await pause();
    follower.follow('ab');
    follower.follow('abc');
    await pause();
    expect(asked).toEqual(['a']);
    answers[0]?.([problem('x')]);
    await pause();
    expect([asked, state]).toEqual([['a', 'abc'], { problems: [problem('x')], isChecking: true }]);
    answers[1]?.([]);
    await pause();
    expect(state).toEqual({ problems: [], isChecking: false });
  });

  it('says why it cannot check, and checks again with the next change', async () => {
    fails = true;
    follower.follow('a');
    await pause();
    expect([state.problems, state.error?.message]).toEqual([[], 'gone']);
    fails = false;
    follower.follow('ab');
    await pause();
    answers[0]?.([]);
    await pause();
    expect(state).toEqual({ problems: [], isChecking: false });
  });

  it('asks nothing any more when it is over', async () => {
    follower.follow('a');
    follower.dispose();
    await pause();
    expect(asked).toEqual([]);
  });
});
