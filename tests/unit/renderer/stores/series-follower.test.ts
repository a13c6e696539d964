import { expect, it } from 'vitest';
import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { SeriesFollower } from '../../../../renderer/stores/series-follower.ts';

const part = (name: string, ...steps: readonly number[]): SeriesColumns => ({
  client: 'client',
  name,
  steps: Float64Array.from(steps),
  values: Float64Array.from(steps),
  times: Float64Array.from(steps),
});

function follow(fetch: () => Promise<readonly SeriesColumns[]>) {
  const shown: Record<string, readonly number[]> = {};
  const follower = new SeriesFollower({
    fetch,
    publish: (series) => {
      for (const { name, steps } of series) shown[name] = [...steps];
    },
  });
  return { follower, shown };
}

it('adds what is heard before, while and after all is fetched', async () => {
  const { follower, shown } = follow(async () => {
    follower.hear([part('var', 2, 3)]);
    return [part('var', 0, 1, 2)];
  });
  await follower.load();
  follower.hear([part('var', 4), part('loss', 4)]);
  expect(shown).toEqual({ var: [0, 1, 2, 3, 4], loss: [4] });
});

it('begins anew when it is loaded again', async () => {
  let answer = [part('var', 0, 1)];
  const { follower, shown } = follow(async () => answer);
  await follower.load();
  answer = [part('var', 5, 6)];
  await follower.load();
  expect(shown).toEqual({ var: [5, 6] });
});

it('goes on hearing after an error', async () => {
  const { follower, shown } = follow(() => Promise.reject(new Error('lost')));
  await expect(follower.load()).rejects.toThrow('lost');
  follower.hear([part('var', 1)]);
  expect(shown).toEqual({ var: [1] });
});
