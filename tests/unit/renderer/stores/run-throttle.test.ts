import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { throttled } from '../../../../renderer/stores/run-throttle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('does the first at once, and of those that follow closely only the newest', () => {
  const done: number[] = [];
  const act = throttled<number>(
    () => 100,
    (value) => done.push(value),
  );
  act(1);
  expect(done).toEqual([1]);
  for (let value = 2; value < 6; value++) act(value);
  vi.advanceTimersByTime(99);
  expect(done).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual([1, 5]);
  act(6);
  vi.advanceTimersByTime(100);
  expect(done).toEqual([1, 5, 6]);
});

it('does the next at once after a while, and keeps no timer', () => {
  const done: number[] = [];
  const act = throttled<number>(
    () => 100,
    (value) => done.push(value),
  );
  act(1);
  vi.advanceTimersByTime(100);
  expect(vi.getTimerCount()).toBe(0);
  act(2);
  expect(done).toEqual([1, 2]);
});

it('waits as long as the value says', () => {
  const done: number[] = [];
  const act = throttled<number>(
    (value) => value * 100,
    (value) => done.push(value),
  );
  for (const value of [3, 1, 2]) act(value);
  vi.advanceTimersByTime(299);
  expect(done).toEqual([3]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual([3, 2]);
});
