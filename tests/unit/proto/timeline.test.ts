import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { type NodeExecStats, NodeExecStatsSchema, type StepStats, StepStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { type FlowEvent, type SliceEvent, toChromeTrace } from '#proto/wire/chrome-trace.ts';
import { assignLanes } from '#proto/wire/lanes.ts';
import { buildTimeline } from '#proto/wire/timeline.ts';
import { parseTransferLabel } from '#proto/wire/transfer-label.ts';

const task = (name: string): string => `/job:${name.replace(':', '/replica:0/task:')}/device:CPU:0`;
const EPOCH = 1_700_000_000_000_000n;

function node(name: string, start: number, length: number, label = `${name} = MatMul(a, b:1, ^c)`): NodeExecStats {
  return create(NodeExecStatsSchema, {
    nodeName: name,
    allStartMicros: EPOCH + BigInt(start),
    opStartRelMicros: 1n,
    opEndRelMicros: BigInt(length) - 1n,
    allEndRelMicros: BigInt(length),
    timelineLabel: label,
  });
}

const stats = (devices: Record<string, NodeExecStats[]>): StepStats =>
  create(StepStatsSchema, { devStats: Object.entries(devices).map(([device, nodeStats]) => ({ device, nodeStats })) });

describe('a timeline', () => {
  it('has ps first, then workers in numerical order, then what is no task', () => {
    const names = ['worker:10', 'worker:2', 'ps:1', 'chief:0', 'ps:0'].map(task);
    const stream = `${task('worker:2').replace('CPU', 'GPU')}/stream:all`;
    const { devices } = buildTimeline(stats(Object.fromEntries([stream, ...names].map((name) => [name, []]))));
    expect(devices.map(({ device }) => device)).toEqual([...['ps:0', 'ps:1', 'chief:0', 'worker:2', 'worker:10'].map(task), stream]);
  });

  it('joins the lists of one device and counts from the first start', () => {
    const both = create(StepStatsSchema, {
      devStats: [
        { device: task('ps:0'), nodeStats: [node('late', 50, 10)] },
        { device: task('ps:0'), nodeStats: [node('early', 20, 10)] },
      ],
    });
    const { devices, origin, duration } = buildTimeline(both);
    expect(devices).toHaveLength(1);
    expect(devices[0]?.entries.map(({ name, start, end }) => [name, start, end])).toEqual([
      ['early', 0, 10],
      ['late', 30, 40],
    ]);
    expect([origin, duration]).toEqual([EPOCH + 20n, 40]);
  });

  it('reads op, inputs and sizes from the label', () => {
    const label = '[cpu 1.2MB] mm = MatMul(a, b:1, ^c)';
    const { devices } = buildTimeline(stats({ [task('ps:0')]: [node('mm', 0, 5, label), node('odd', 0, 5, 'no label at all')] }));
    expect(devices[0]?.entries.map(({ op, inputs }) => [op, inputs])).toEqual([
      ['MatMul', ['a', 'b:1', '^c']],
      ['unknown', []],
    ]);
  });

  it('of a step without stats is empty', () => {
    expect(buildTimeline(stats({}))).toEqual({ origin: 0n, duration: 0, devices: [] });
  });

  it('never ends an entry before its start, whatever the clocks said', () => {
    const odd = create(NodeExecStatsSchema, {
      nodeName: 'odd',
      allStartMicros: EPOCH,
      allEndRelMicros: -5n,
      opStartRelMicros: 9n,
      opEndRelMicros: 3n,
    });
    const [entry] = buildTimeline(stats({ [task('ps:0')]: [odd] })).devices[0]?.entries ?? [];
    expect(entry).toMatchObject({ start: 0, opStart: 0, opEnd: 0, end: 0 });
  });
});

it.each([
  [
    '[123B] [8.000000Mb/s] edge_12_W/read from /job:ps/a to /job:w/b',
    { bytes: 123, bitsPerSecond: 8e6, tensor: 'edge_12_W/read', from: '/job:ps/a', to: '/job:w/b' },
  ],
  ['[1.5MB] [1.2Gb/s] edge_3_x from A to B', { bytes: 1.5 * 2 ** 20, bitsPerSecond: 1.2e9, tensor: 'edge_3_x', from: 'A', to: 'B' }],
  ['edge_3_x from A to B', { bytes: 0, bitsPerSecond: undefined, tensor: 'edge_3_x', from: 'A', to: 'B' }],
  ['mm = MatMul(a, b)', undefined],
])('the label %j of a transfer', (label, transfer) => {
  expect(parseTransferLabel(label)).toEqual(transfer);
});

/** Numbers that look random but are the same in every run. */
function* pseudoRandom(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

function randomStats(seed: number): StepStats {
  const numbers = pseudoRandom(seed + 1);
  const next = (limit: number): number => Math.floor((numbers.next().value ?? 0) * limit);
  const devices = ['ps:0', 'worker:0', 'worker:1'].map(task);
  const entry = (i: number): NodeExecStats => {
    const label = next(5) === 0 ? `[${next(1000)}B] [8.0Mb/s] edge_${i}_n${next(40)} from ${devices[next(3)]} to ${devices[0]}` : undefined;
    return node(`n${i}`, next(400), next(60), label);
  };
  return stats(Object.fromEntries(devices.map((device) => [device, Array.from({ length: next(40) }, (_, i) => entry(i))])));
}

describe.each(Array.from({ length: 50 }, (_, seed) => seed))('random step stats %i', (seed) => {
  const step = randomStats(seed);
  const { traceEvents } = toChromeTrace(buildTimeline(step));
  const slices = traceEvents.filter((event): event is SliceEvent => event.ph === 'X');

  it('give one slice for each entry, with plain numbers and no negative duration', () => {
    expect(slices).toHaveLength(step.devStats.flatMap(({ nodeStats }) => nodeStats).length);
    for (const { ts, dur } of slices) {
      expect([typeof ts, typeof dur, Number.isFinite(ts + dur), dur >= 0, ts >= Number(EPOCH)]).toEqual([
        'number',
        'number',
        true,
        true,
        true,
      ]);
    }
    expect(JSON.parse(JSON.stringify({ traceEvents }))).toEqual({ traceEvents });
  });

  it('give slices that never overlap on one thread', () => {
    const threads = new Map<string, { ts: number; dur: number }[]>();
    for (const slice of slices) threads.set(`${slice.pid} ${slice.tid}`, [...(threads.get(`${slice.pid} ${slice.tid}`) ?? []), slice]);
    for (const own of threads.values()) {
      own.sort((a, b) => a.ts - b.ts || a.dur - b.dur);
      for (const [i, slice] of own.entries()) {
        const before = own[i - 1];
        if (before) expect(slice.ts).toBeGreaterThanOrEqual(before.ts + before.dur);
      }
    }
  });

  it('give arrows that point forward in time', () => {
    const arrows = traceEvents.filter((event): event is FlowEvent => event.ph === 's' || event.ph === 'f');
    for (const event of arrows) {
      if (event.ph !== 's') continue;
      const end = arrows.find((other) => other.ph === 'f' && other.id === event.id);
      expect(end?.ts).toBeGreaterThanOrEqual(event.ts);
    }
  });
});

it('uses no more lanes than spans at the busiest moment', () => {
  const spans = [
    { start: 0, end: 10 },
    { start: 2, end: 4 },
    { start: 4, end: 8 },
    { start: 10, end: 12 },
  ];
  expect(assignLanes(spans)).toEqual([0, 1, 1, 0]);
});
