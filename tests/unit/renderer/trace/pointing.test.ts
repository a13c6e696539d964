import { describe, expect, it } from 'vitest';
import { sliceAt } from '../../../../renderer/plots/timeline/hit-test.ts';
import { placeLanes, rowAt, rowTop, totalHeight } from '../../../../renderer/plots/timeline/lane-layout.ts';
import { type Direction, firstFrom, neighbour } from '../../../../renderer/plots/timeline/navigate.ts';
import { indexRows } from '../../../../renderer/plots/timeline/row-index.ts';
import { laneOf } from './lanes-of.ts';

const lanes = [
  laneOf('ps', [
    { start: 0, end: 100 },
    { start: 200, end: 300 },
    { start: 50, end: 60, row: 1 },
  ]),
  laneOf('idle', []),
  laneOf('worker', [
    { start: 40, end: 40 },
    { start: 210, end: 280 },
  ]),
];
const rows = lanes.map(indexRows);
const places = placeLanes(
  lanes.map((lane) => lane.rows),
  new Set(),
);
const scale = { start: 0, span: 400, width: 400 };
const scene = { rows, places, scale };
const middle = (lane: number, row: number): number => (places[lane] ? rowTop(places[lane], row) + 8 : -1);

describe('the places of lanes', () => {
  it('follow one another without gaps', () => {
    expect(places.map(({ top }) => top)).toEqual([0, 60, 108]);
    expect(totalHeight(places)).toBe(156);
    expect(totalHeight([])).toBe(0);
  });

  it('shrink when folded', () => {
    expect(totalHeight(placeLanes([10], new Set([0])))).toBeLessThan(totalHeight(placeLanes([1], new Set())));
  });

  it('tell the row at a height', () => {
    expect(rowAt(places, middle(0, 1))).toEqual({ lane: 0, row: 1 });
    expect(rowAt(places, 2)).toBeUndefined();
    expect(rowAt(places, 9999)).toBeUndefined();
  });
});

describe('a pointer', () => {
  it('hits the slice under it', () => {
    expect(sliceAt(scene, 250, middle(0, 0))).toEqual({ lane: 0, slice: 1 });
    expect(sliceAt(scene, 55, middle(0, 1))).toEqual({ lane: 0, slice: 2 });
  });

  it('reaches a slice without length from beside, and misses what is far', () => {
    expect(sliceAt(scene, 42, middle(2, 0))).toEqual({ lane: 2, slice: 0 });
    expect(sliceAt(scene, 60, middle(2, 0))).toBeUndefined();
    expect(sliceAt(scene, 250, middle(1, 0))).toBeUndefined();
  });

  it('takes the nearest of a folded lane', () => {
    const folded = placeLanes(
      lanes.map((lane) => lane.rows),
      new Set([0]),
    );
    expect(sliceAt({ ...scene, places: folded }, 62, 14)).toEqual({ lane: 0, slice: 0 });
  });

  it('finds the nearest where thousands share a pixel', () => {
    const dense = [
      laneOf(
        'd',
        Array.from({ length: 5000 }, (_, k) => ({ start: k / 1000, end: (k + 1) / 1000 })),
      ),
    ];
    const hit = sliceAt(
      { rows: dense.map(indexRows), places: placeLanes([1], new Set()), scale: { start: 0, span: 100, width: 100 } },
      2,
      20,
    );
    expect(hit?.slice).toBeGreaterThanOrEqual(1998);
    expect(hit?.slice).toBeLessThanOrEqual(2001);
  });
});

describe('the keyboard', () => {
  const go = (lane: number, slice: number, direction: Direction) => neighbour(lanes, rows, { lane, slice }, direction);

  it('walks along a row and stops at its ends', () => {
    expect(go(0, 0, 'next')).toEqual({ lane: 0, slice: 1 });
    expect(go(0, 1, 'previous')).toEqual({ lane: 0, slice: 0 });
    expect(go(0, 1, 'next')).toBeUndefined();
  });

  it('goes to what is nearest in time on the next row, over empty lanes', () => {
    expect(go(0, 0, 'down')).toEqual({ lane: 0, slice: 2 });
    expect(go(0, 2, 'down')).toEqual({ lane: 2, slice: 0 });
    expect(go(2, 1, 'up')).toEqual({ lane: 0, slice: 2 });
    expect(go(0, 1, 'up')).toBeUndefined();
  });

  it('begins at the first slice of what is shown', () => {
    expect(firstFrom(rows, 100)).toEqual({ lane: 0, slice: 1 });
    expect(firstFrom(rows, 9999)).toBeUndefined();
  });
});
