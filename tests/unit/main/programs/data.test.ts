import { expect, it } from 'vitest';
import { linePoints, shardOf } from '../../../../main/programs/data.ts';

it('points lie on the line, spread over it, and are the same every time', () => {
  const { x, y } = linePoints(100);
  expect(linePoints(100)).toEqual({ x, y });
  expect(new Set(x).size).toBe(100);
  expect(Math.min(...x)).toBeLessThan(0.1);
  expect(Math.max(...x)).toBeGreaterThan(0.9);
  for (const [i, each] of x.entries()) expect(y[i]).toBeCloseTo(0.1 * each + 0.3, 6);
});

it('shards are the points, each once', () => {
  const points = linePoints(12);
  const shards = [0, 1, 2].map((index) => shardOf(points, index, 3));
  expect(shards.flatMap(({ x }) => [...x])).toEqual([...points.x]);
  expect(shards.flatMap(({ y }) => [...y])).toEqual([...points.y]);
});
