import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SessionLeases } from '../../../../task-server/master/session-leases.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let ended: string[];
let leases: SessionLeases;

beforeEach(() => {
  vi.useFakeTimers();
  ended = [];
  const after = (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  };
  leases = new SessionLeases(after, (handle) => ended.push(handle));
});
afterEach(() => void vi.useRealTimers());

/** A client that is killed: its call is given up and ends, and its connection is gone, in either order. */
async function killInCall(connection: AbortController, endsFirst = true): Promise<void> {
  const call = new AbortController();
  const blocked = () => new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve()));
  const done = leases.during('s', { connection: connection.signal, signal: call.signal }, blocked);
  if (!endsFirst) connection.abort();
  call.abort();
  await done;
  connection.abort();
}

it.each([true, false])('a session whose client is killed in a call ends after ten minutes (call ends first: %s)', async (endsFirst) => {
  await killInCall(new AbortController(), endsFirst);
  vi.advanceTimersByTime(10 * MINUTE - 1);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['s']);
});

it('a client that hangs up between calls keeps its session for a day', async () => {
  const connection = new AbortController();
  await leases.during('s', { connection: connection.signal }, async () => undefined);
  vi.advanceTimersByTime(MINUTE);
  connection.abort();
  vi.advanceTimersByTime(DAY - 1);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(['s']);
});

it('a client that dials again keeps its session, and so does one with another connection', async () => {
  const second = new AbortController();
  await killInCall(new AbortController());
  leases.hold('s', second.signal);
  vi.advanceTimersByTime(2 * DAY);
  const third = new AbortController();
  leases.hold('s', third.signal);
  second.abort();
  vi.advanceTimersByTime(2 * DAY);
  expect(ended).toEqual([]);
});

it('a session that is over is forgotten, and its connections are not watched any more', async () => {
  const connection = new AbortController();
  await killInCall(new AbortController());
  leases.hold('s', connection.signal);
  const unwatched = vi.spyOn(connection.signal, 'removeEventListener');
  leases.release('s');
  expect(unwatched).toHaveBeenCalledOnce();
  connection.abort();
  vi.advanceTimersByTime(2 * DAY);
  expect(ended).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it.each([true, false])('a session that has run nothing ends as soon after its client is gone (gone before it was made: %s)', (isGone) => {
  const connection = new AbortController();
  if (isGone) connection.abort();
  leases.hold('s', connection.signal);
  connection.abort();
  vi.advanceTimersByTime(10 * MINUTE);
  expect(ended).toEqual(['s']);
});
