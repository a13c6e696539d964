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

function follow(fetch: () => Promise<readonly SeriesColumns[]>, most = 1000) {
  const shown: Record<string, readonly number[]> = {};
  const follower = new SeriesFollower({
    fetch,
    most,
    publish: (series) => {
      for (const { name, steps } of series) shown[name] = [...steps];
    },
  });
  return { follower, shown };
}

it('counts a sample once that is heard before the answer that contains it', async () => {
  const { follower, shown } = follow(async () => {
    follower.hear([part('var', 2), part('loss', 1)]);
    return [part('var', 0, 1, 2), part('loss', 1)];
  });
  await follower.load();
  follower.hear([part('var', 3)]);
  expect(shown).toEqual({ var: [0, 1, 2, 3], loss: [1] });
});

it('begins anew when it is loaded again', async () => {
  let answer = [part('var', 0, 1)];
  const { follower, shown } = follow(async () => answer);
  await follower.load();
  answer = [part('var', 5, 6)];
  await follower.load();
  expect(shown).toEqual({ var: [5, 6] });
});

it('keeps what it has and what it heard when a query fails', async () => {
  let fails = false;
  const { follower, shown } = follow(async () => {
    if (!fails) return [part('var', 0)];
    follower.hear([part('var', 1)]);
    throw new Error('lost');
  });
  await follower.load();
  fails = true;
  await expect(follower.load()).rejects.toThrow('lost');
  follower.hear([part('var', 2)]);
  expect(shown).toEqual({ var: [0, 1, 2] });
});

it('lets the newer of two queries count', async () => {
  const answers: ((series: readonly SeriesColumns[]) => void)[] = [];
  const { follower, shown } = follow(() => new Promise((resolve) => answers.push(resolve)));
  const [older, newer] = [follower.load(), follower.load()];
  answers[1]?.([part('var', 0, 1)]);
  await newer;
  follower.hear([part('var', 2)]);
  answers[0]?.([part('var', 0)]);
  await older;
  expect(shown).toEqual({ var: [0, 1, 2] });
});

it('says when a series has become too long, and not while it is fetched anew', async () => {
  const { follower } = follow(async () => [part('var', 9)], 2);
  follower.hear([part('var', 0, 1)]);
  expect(follower.isTooLong).toBe(false);
  follower.hear([part('var', 2)]);
  expect(follower.isTooLong).toBe(true);
  const loading = follower.load();
  expect(follower.isTooLong).toBe(false);
  await loading;
  expect(follower.isTooLong).toBe(false);
});
