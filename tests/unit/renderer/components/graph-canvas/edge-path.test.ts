import { describe, expect, it } from 'vitest';
import { curvedPath, routedPath } from '../../../../../renderer/components/graph-canvas/edge-path.ts';

describe('an edge', () => {
  it('goes through its points and rounds the corners', () => {
    const { d, middle } = routedPath([
      { x: 0, y: 0 },
      { x: 100, y: 0 },
      { x: 100, y: 30 },
      { x: 120, y: 30 },
    ]);
    expect(d).toBe('M0 0L94 0Q100 0 100 6L100 24Q100 30 106 30L120 30');
    expect(middle).toEqual({ x: 50, y: 0 });
  });

  it('rounds no more than half of a short piece', () => {
    expect(
      routedPath([
        { x: 0, y: 0 },
        { x: 4, y: 0 },
        { x: 4, y: 50 },
      ]).d,
    ).toBe('M0 0L2 0Q4 0 4 6L4 50');
  });

  it('leaves and enters straight when it is a curve, also backwards', () => {
    expect(curvedPath({ x: 0, y: 0 }, { x: 100, y: 40 }, 'right').d).toBe('M0 0C50 0 50 40 100 40');
    expect(curvedPath({ x: 0, y: 0 }, { x: 10, y: -20 }, 'down').d).toBe('M0 0C0 24 10 -44 10 -20');
  });
});
