import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Strangers } from '../../../../task-server/service/strangers.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

let ports = 0;

/** A connection; as with real ones, its ends are not known any more once it is closed. */
function connection(): Socket {
  const socket = new Socket();
  const port = ++ports;
  Object.defineProperty(socket, 'remotePort', { get: () => (socket.destroyed ? undefined : port) });
  return socket;
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()));

it('are cut when their time is over, those who were granted more later', () => {
  const strangers = new Strangers();
  const [silent, pairing, member] = [connection(), connection(), connection()];
  for (const each of [silent, pairing, member]) strangers.add(each);
  vi.advanceTimersByTime(5000);
  strangers.grant(pairing, 30_000);
  strangers.trust(member);
  vi.advanceTimersByTime(5001);
  expect([silent, pairing, member].map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
  vi.advanceTimersByTime(25_000);
  expect([pairing, member].map(({ destroyed }) => destroyed)).toEqual([true, false]);
});

it('are 500 at most, of whom those count no more who have left or proved who they are', async () => {
  const strangers = new Strangers();
  const all = Array.from({ length: 500 }, connection);
  for (const each of all) strangers.add(each);
  expect(strangers.isFull).toBe(true);
  const [left, proved] = all;
  if (!left || !proved) throw new Error('there are 500');
  const gone = closed(left);
  left.destroy();
  await gone;
  expect(strangers.isFull).toBe(false);
  strangers.grant(left, 1000);
  strangers.add(connection());
  expect(strangers.isFull).toBe(true);
  strangers.trust(proved);
  expect(strangers.isFull).toBe(false);
});
