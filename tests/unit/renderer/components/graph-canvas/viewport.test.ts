import { describe, expect, it } from 'vitest';
import {
  boundsOf,
  fitBox,
  keepInPlace,
  readableBox,
  reveal,
  toCanvas,
  zoomAt,
} from '../../../../../renderer/components/graph-canvas/viewport.ts';

const screen = { width: 1000, height: 600 };

describe('boundsOf', () => {
  it('is the least box around all', () => {
    const boxes = [
      { x: -10, y: 5, width: 20, height: 10 },
      { x: 30, y: 0, width: 5, height: 5 },
    ];
    expect(boundsOf(boxes)).toEqual({ x: -10, y: 0, width: 45, height: 15 });
    expect(boundsOf([])).toBeUndefined();
  });
});

describe('a view', () => {
  it('shows a whole box in the middle, never magnified', () => {
    expect(fitBox({ x: 0, y: 0, width: 100, height: 100 }, screen)).toEqual({ x: 450, y: 250, zoom: 1 });
    const wide = fitBox({ x: 0, y: 0, width: 9520, height: 100 }, screen);
    expect(wide.zoom).toBeCloseTo(0.1);
    expect(wide.x).toBeCloseTo(24);
  });

  it('begins with the first node where the whole could not be read', () => {
    const box = { x: 0, y: 0, width: 9520, height: 400 };
    const view = readableBox(box, { x: 100, y: 300, width: 100, height: 50 }, screen);
    expect(view.zoom).toBe(0.7);
    expect(100 * view.zoom + view.x).toBeCloseTo(24);
    expect(readableBox({ ...box, width: 500 }, box, screen).zoom).toBe(1);
  });

  it('keeps the point that it is zoomed at', () => {
    const before = { x: 20, y: 30, zoom: 0.5 };
    const at = { x: 300, y: 200 };
    expect(toCanvas(zoomAt(before, 1.5, at), at)).toEqual(toCanvas(before, at));
    expect(zoomAt(before, 100, at).zoom).toBe(2);
  });

  it('moves no farther than it takes to see something', () => {
    const view = { x: 0, y: 0, zoom: 1 };
    expect(reveal(view, { x: 100, y: 100, width: 50, height: 50 }, screen)).toEqual(view);
    expect(reveal(view, { x: 1200, y: 100, width: 50, height: 50 }, screen)).toEqual({ x: -274, y: 0, zoom: 1 });
    expect(reveal(view, { x: -80, y: 700, width: 50, height: 5000 }, screen)).toEqual({ x: 104, y: -676, zoom: 1 });
  });

  it('holds on the screen what a new layout has moved', () => {
    const before = { x: 200, y: 40 };
    const after = { x: 900, y: 10 };
    const view = { x: 5, y: 6, zoom: 0.5 };
    const held = keepInPlace(view, before, after);
    expect([after.x * held.zoom + held.x, after.y * held.zoom + held.y]).toEqual([
      before.x * view.zoom + view.x,
      before.y * view.zoom + view.y,
    ]);
  });
});
