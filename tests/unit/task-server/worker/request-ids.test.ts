import { expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { RecentRequestIds } from '../../../../task-server/worker/request-ids.ts';

it('refuses an id that it has seen, and names the method', () => {
  const ids = new RecentRequestIds();
  ids.track(7n, 'RunGraph (Worker)');
  expect(() => ids.track(7n, 'RunGraph (Worker)')).toThrow(
    expect.objectContaining({
      code: Code.ABORTED,
      message: expect.stringContaining('The same RunGraph (Worker) request was received twice.'),
    }),
  );
});

it('does not check id 0', () => {
  const ids = new RecentRequestIds();
  ids.track(0n, 'RunGraph');
  ids.track(0n, 'RunGraph');
  expect(ids.size).toBe(0);
});

it('forgets the oldest id when newer ones fill the window', () => {
  const ids = new RecentRequestIds(2);
  for (const id of [1n, 2n, 3n]) ids.track(id, 'RunGraph');
  expect(ids.size).toBe(2);
  expect(() => ids.track(2n, 'RunGraph')).toThrow();
  ids.track(1n, 'RunGraph');
});
