import { describe, expect, it } from 'vitest';
import { formatBytes, formatDuration, formatMicros, formatRate, ticksOf } from '../../../../renderer/plots/timeline/ticks.ts';
import { fitView, focusView, panView, revealView, timeAt, xOf, zoomView } from '../../../../renderer/plots/timeline/time-view.ts';

describe('the view on the time axis', () => {
  it('fits everything with a margin', () => {
    expect(fitView(1000)).toEqual({ start: -20, span: 1040 });
    expect(fitView(0).span).toBeGreaterThan(0);
  });

  it('keeps the moment under the pointer at its place while zooming', () => {
    const scale = (view: { start: number; span: number }) => ({ ...view, width: 800 });
    const near = zoomView(fitView(1000), 250, 0.25, 1000);
    expect(xOf(scale(near), 250)).toBeCloseTo(xOf(scale(fitView(1000)), 250), 9);
    expect(near.span).toBe(260);
  });

  it('never leaves the bounds, however it is moved', () => {
    const view = zoomView(fitView(1000), 500, 0.1, 1000);
    expect(panView(view, -1e9, 1000).start).toBe(-20);
    const right = panView(view, 1e9, 1000);
    expect(right.start + right.span).toBeCloseTo(1020, 9);
    expect(zoomView(view, 500, 1e9, 1000)).toEqual(fitView(1000));
    expect(zoomView(view, 500, 1e-12, 1000).span).toBe(0.001);
  });

  it('focuses a slice in the middle half and reveals one with the least movement', () => {
    expect(focusView(400, 500, 1000)).toEqual({ start: 350, span: 200 });
    const view = { start: 100, span: 100 };
    expect(revealView(view, 120, 130, 1000)).toBe(view);
    expect(revealView(view, 250, 260, 1000)).toEqual({ start: 165, span: 100 });
    expect(revealView(view, 50, 60, 1000)).toEqual({ start: 45, span: 100 });
    expect(revealView(view, 300, 900, 1000)).toEqual({ start: 295, span: 100 });
  });

  it('turns pixels into moments and back', () => {
    const scale = { start: 10, span: 50, width: 500 };
    expect(timeAt(scale, xOf(scale, 33))).toBeCloseTo(33, 9);
  });
});

describe('ticks', () => {
  const labels = (start: number, span: number, most: number) => ticksOf({ start, span }, most).map(({ label }) => label);

  it('stand at round moments in the unit of the view', () => {
    expect(labels(0, 1000, 5)).toEqual(['0.0 ms', '0.2 ms', '0.4 ms', '0.6 ms', '0.8 ms', '1.0 ms']);
    expect(labels(0, 90, 5)).toEqual(['0 µs', '20 µs', '40 µs', '60 µs', '80 µs']);
    expect(labels(0, 0.01, 2)).toEqual(['0 ns', '5 ns', '10 ns']);
  });

  it('tell near moments of a long trace apart', () => {
    expect(new Set(labels(1_234_567, 20, 4)).size).toBe(labels(1_234_567, 20, 4).length);
  });

  it('are never more than asked for, plus the one at the border', () => {
    for (const span of [0.003, 1, 7, 99, 12345, 9e8]) expect(ticksOf({ start: -1, span }, 8).length).toBeLessThanOrEqual(9);
  });
});

describe('numbers as texts', () => {
  it('choose the unit that suits', () => {
    expect([0, 0.012, 4, 19.059, 1940, 2_500_000].map(formatDuration)).toEqual(['0 µs', '12 ns', '4 µs', '19.1 µs', '1.94 ms', '2.50 s']);
    expect([0, 1023, 1536, 104_857_600].map(formatBytes)).toEqual(['0 B', '1\u202f023 B', '1.5 KiB', '100 MiB']);
    expect(formatMicros(1702.0591)).toBe('1\u202f702.059');
  });

  it('give the rate of a transfer in bits', () => {
    expect(formatRate(4, 2144)).toBe('14.9 kb/s');
    expect(formatRate(104_857_600, 200_000)).toBe('4.2 Gb/s');
    expect(formatRate(4, 0)).toBe('');
  });
});
