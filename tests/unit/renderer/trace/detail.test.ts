import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { NodeExecStatsSchema, StepStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { buildTimeline } from '#proto/wire/timeline.ts';
import { type Block, blocksOf } from '../../../../renderer/plots/timeline/detail.ts';
import { busyShares } from '../../../../renderer/plots/timeline/overview.ts';
import { busyTime, indexRows, slicesBetween } from '../../../../renderer/plots/timeline/row-index.ts';
import { fitView } from '../../../../renderer/plots/timeline/time-view.ts';
import { busyLane, laneOf } from './lanes-of.ts';

const sumOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { time }) => sum + time, 0);
const countOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { count }) => sum + count, 0);

describe('a row of slices', () => {
  const [row] = indexRows(
    laneOf('d', [
      { start: 30, end: 40 },
      { start: 0, end: 10 },
      { start: 10, end: 10 },
      { start: 10, end: 20 },
    ]),
  );
  if (!row) throw new Error('a lane with slices has a row');

  it('is in order of time, whatever the order of the columns', () => {
    expect([...row.slices]).toEqual([1, 2, 3, 0]);
  });

  it('finds what reaches into a time, borders included', () => {
    const between = (from: number, to: number): number[] => {
      const { first, last } = slicesBetween(row, from, to);
      return [...row.slices.slice(first, last)];
    };
    expect(between(12, 35)).toEqual([3, 0]);
    expect(between(21, 29)).toEqual([]);
    expect(between(20, 30)).toEqual([3, 0]);
    expect(between(-5, 100)).toEqual([1, 2, 3, 0]);
  });

  it('knows how much of a time is busy', () => {
    expect([busyTime(row, 0, 40), busyTime(row, 5, 15), busyTime(row, 21, 29), busyTime(row, 32, 34)]).toEqual([30, 10, 0, 2]);
  });
});

describe('level of detail', () => {
  const lane = busyLane('d', 20_000);
  const [row] = indexRows(lane);
  if (!row) throw new Error('a lane with slices has a row');
  const length = lane.end.at(-1) ?? 0;

  it('draws no more blocks than pixels can show', () => {
    expect(blocksOf(row, { ...fitView(length), width: 1000 }).length).toBeLessThanOrEqual(1000);
  });

  it('loses no slice and no time at any magnification', () => {
    const total = lane.start.reduce((sum, start, k) => sum + (lane.end[k] ?? 0) - start, 0);
    for (const width of [10, 333, 1000, 40_000, 1_000_000]) {
      const blocks = blocksOf(row, { ...fitView(length), width });
      expect(countOf(blocks)).toBe(20_000);
      expect(Math.abs(sumOf(blocks) - total)).toBeLessThan(0.001);
    }
  });

  it('leaves a slice that is wider than a pixel alone', () => {
    const [mixed] = indexRows(
      laneOf('d', [
        { start: 0, end: 1 },
        { start: 1, end: 2 },
        { start: 3, end: 500 },
        { start: 500, end: 501 },
      ]),
    );
    const blocks = mixed ? blocksOf(mixed, { start: 0, span: 1000, width: 100 }) : [];
    expect(blocks.map(({ slice, count }) => [slice, count])).toEqual([
      [0, 2],
      [2, 1],
      [3, 1],
    ]);
  });

  it('shows a slice without length as one pixel', () => {
    const [empty] = indexRows(laneOf('d', [{ start: 5, end: 5 }]));
    expect(empty && blocksOf(empty, { start: 0, span: 10, width: 100 })).toEqual([{ x: 50, width: 1, slice: 0, count: 1, time: 0 }]);
  });

  it('takes a frame of 20 000 slices in a few milliseconds', () => {
    const started = performance.now();
    for (let frame = 0; frame < 20; frame++) blocksOf(row, { start: frame, span: length, width: 1600 });
    expect((performance.now() - started) / 20).toBeLessThan(33);
  });

  it('shares out the same busy time in the overview', () => {
    const [first] = indexRows(laneOf('d', [{ start: 0, end: 50 }]));
    expect([...busyShares(first ? [first] : [], { start: 0, span: 100, width: 4 })]).toEqual([1, 1, 0, 0]);
  });
});

describe('a trace of several devices [U06]', () => {
  const devices = ['/job:worker/replica:0/task:10', '/job:worker/replica:0/task:9', '/job:ps/replica:0/task:0'].map(
    (task) => `${task}/device:CPU:0`,
  );
  const lengths = [
    [12, 700, 3],
    [45, 1],
    [999, 31, 0, 8],
  ];
  const stats = create(StepStatsSchema, {
    devStats: devices.map((device, d) => ({
      device,
      nodeStats: (lengths[d] ?? []).map((length, n) =>
        create(NodeExecStatsSchema, { nodeName: `n${n}`, allStartMicros: BigInt(5_000 + n * 5), allEndRelMicros: BigInt(length) }),
      ),
    })),
  });
  const timeline = buildTimeline(stats);

  it('is drawn with the time of its step stats, to the microsecond, device by device', () => {
    for (const { device, entries } of timeline.devices) {
      const lane = laneOf(
        device,
        entries.map(({ start, end, lane: row }) => ({ start, end, row })),
      );
      const drawn = indexRows(lane).flatMap((row) => blocksOf(row, { ...fitView(timeline.duration), width: 120 }));
      const expected = lengths[devices.indexOf(device)]?.reduce((sum, length) => sum + length, 0);
      expect(Math.round(sumOf(drawn))).toBe(expected);
    }
  });

  it('has ps first and task 10 after task 9', () => {
    expect(timeline.devices.map(({ device }) => device)).toEqual([devices[2], devices[1], devices[0]]);
  });
});
