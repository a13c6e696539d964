import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { aborted, Code, cancelled, type StatusError, unavailable } from '#proto/wire/status.ts';
import { pauseMs, retryUnavailable } from '../../../../task-server/service/backoff.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('never pauses longer than 30 s, and grows until then', () => {
  const pauses = Array.from({ length: 20 }, (_, i) => pauseMs(i + 1));
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  expect(Math.max(...pauses)).toBeLessThanOrEqual(30_000);
});

describe('a task that stays UNAVAILABLE', () => {
  it('is tried at most ten times a minute, and each reason is heard', async () => {
    const controller = new AbortController();
    const reasons: StatusError[] = [];
    let attempts = 0;
    const refused = () => Promise.reject(unavailable(`refused ${++attempts}`));
    const outcome = retryUnavailable(refused, { signal: controller.signal, onWait: (reason) => reasons.push(reason) });
    outcome.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(attempts).toBeGreaterThan(3);
    expect(attempts).toBeLessThanOrEqual(10);
    expect(reasons.at(-1)?.message).toBe(`refused ${attempts}`);
    controller.abort(cancelled('enough'));
    await expect(outcome).rejects.toMatchObject({ code: Code.CANCELLED, message: 'enough' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('goes on as soon as the task answers', async () => {
  let attempts = 0;
  const outcome = retryUnavailable(() => (++attempts < 3 ? Promise.reject(unavailable('not yet')) : Promise.resolve('up')), {});
  await vi.advanceTimersByTimeAsync(2000);
  expect(await outcome).toBe('up');
});

it('takes any other error for an answer', async () => {
  await expect(retryUnavailable(() => Promise.reject(aborted('no')), {})).rejects.toMatchObject({ code: Code.ABORTED });
});
