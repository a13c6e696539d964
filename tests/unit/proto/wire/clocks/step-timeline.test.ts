import { describe, expect, it } from 'vitest';
import { stepTimeline } from '#proto/wire/clocks/step-timeline.ts';
import { pairTransfers } from '#proto/wire/clocks/transfer-pairs.ts';
import { buildTimeline, type Timeline } from '#proto/wire/timeline.ts';
import { deviceOf, PS, SkewedStep, W0, W1 } from '../../../../support/skewed-step.ts';

const SECONDS = 1_000_000;

/** A worker reads a variable of the parameter server and sends its gradient back. */
function trainingStep(offsets: Readonly<Record<string, number>>, begin = 0): SkewedStep {
  return new SkewedStep(offsets, begin)
    .node(PS, 'read', [100, 120])
    .transfer(PS, 'read', W0, [125, 400])
    .node(W0, 'gradient', [410, 900])
    .transfer(W0, 'gradient', PS, [905, 1300])
    .node(PS, 'update', [1310, 1350]);
}

function clocksOf({ devices }: Timeline): Record<string, { offset: number; error: number | undefined } | undefined> {
  return Object.fromEntries(devices.map(({ device, clock }) => [device.slice(0, device.indexOf('/device')), clock]));
}

function startsOf({ devices }: Timeline): Record<string, number> {
  return Object.fromEntries(
    devices.flatMap(({ entries }) => entries.map(({ name, transfer, start }) => [transfer ? `to ${transfer.to}` : name, start])),
  );
}

function expectReceivesAfterSends(timeline: Timeline): void {
  for (const { producer, receiver } of pairTransfers(timeline)) {
    expect(receiver.start).toBeGreaterThanOrEqual(Math.floor(producer.opEnd));
    expect(receiver.end).toBeGreaterThanOrEqual(receiver.start);
  }
}

describe('the timeline of a step whose tasks have clocks of their own', () => {
  it.each([2 * SECONDS, -2 * SECONDS, 3600 * SECONDS, 1500])('finds an offset of %i µs from messages both ways', (offset) => {
    const timeline = stepTimeline(trainingStep({ [W0]: offset }).metadata());
    const { [PS]: ps, [W0]: worker } = clocksOf(timeline);
    expect(ps).toBeUndefined();
    expect(Math.abs((worker?.offset ?? 0) - offset)).toBeLessThanOrEqual(worker?.error ?? 0);
    // Half of what was on its way: 280 µs there, 400 µs back.
    expect(worker?.error).toBeLessThan(345);
    expect(timeline.duration).toBeLessThan(2000);
    expectReceivesAfterSends(timeline);
  });

  it('is as recorded when all clocks agree', () => {
    const { stepStats } = trainingStep({}).metadata();
    expect(stepTimeline(trainingStep({}).metadata())).toEqual(stepStats && buildTimeline(stepStats));
  });

  it('goes by the clock of the master', () => {
    const step = trainingStep({ [W0]: 2 * SECONDS });
    const { [PS]: ps, [W0]: worker } = clocksOf(stepTimeline(step.metadata(), { master: W0 }));
    expect(worker).toBeUndefined();
    expect(ps?.offset).toBeCloseTo(-2 * SECONDS, -3);
    const told = clocksOf(stepTimeline(step.call(W0, PS, [0, 1500]).metadata(W0)));
    expect(told[PS]?.offset).toBeCloseTo(-2 * SECONDS, -3);
    expect(clocksOf(stepTimeline(trainingStep({}).metadata(), { master: '/job:other/replica:0/task:0' }))).toEqual({
      [PS]: undefined,
      [W0]: undefined,
    });
  });

  it('finds offsets through other tasks', () => {
    const step = trainingStep({ [W0]: 2 * SECONDS, [W1]: -5 * SECONDS })
      .transfer(W0, 'gradient', W1, [905, 1100])
      .node(W1, 'last', [1110, 1200])
      .transfer(W1, 'last', PS, [1205, 1500]);
    const timeline = stepTimeline(step.metadata());
    const { [W0]: w0, [W1]: w1 } = clocksOf(timeline);
    expect(Math.abs((w0?.offset ?? 0) - 2 * SECONDS)).toBeLessThanOrEqual(w0?.error ?? 0);
    expect(Math.abs((w1?.offset ?? 0) + 5 * SECONDS)).toBeLessThanOrEqual(w1?.error ?? 0);
    expect(w1?.error).toBeLessThan(800);
    expectReceivesAfterSends(timeline);
  });

  it.each([2 * SECONDS, -2 * SECONDS])('guesses an offset of %i µs when nothing came back', (offset) => {
    const step = new SkewedStep({ [W0]: offset })
      .node(PS, 'read', [100, 120])
      .transfer(PS, 'read', W0, [125, 400])
      .node(W0, 'use', [410, 900]);
    const timeline = stepTimeline(step.metadata());
    const { [W0]: worker } = clocksOf(timeline);
    expect(worker?.error).toBeUndefined();
    expect(Math.abs((worker?.offset ?? 0) - offset)).toBeLessThan(1000);
    expectReceivesAfterSends(timeline);
  });

  it('believes a clock that may be right, however long a transfer took', () => {
    const step = new SkewedStep()
      .node(PS, 'read', [0, 10])
      .node(W0, 'other', [50, 60])
      .transfer(PS, 'read', W0, [15, 5 * SECONDS]);
    expect(clocksOf(stepTimeline(step.metadata()))).toEqual({ [PS]: undefined, [W0]: undefined });
  });

  it('finds offsets from the calls of the master where no tensors crossed', () => {
    const step = new SkewedStep({ [W1]: 2 * SECONDS })
      .node(W0, 'a', [100, 200])
      .node(W1, 'b', [400, 500])
      .call(W0, W1, [50, 800])
      .metadata(W0);
    const { [W0]: w0, [W1]: w1 } = clocksOf(stepTimeline(step));
    expect(w0).toBeUndefined();
    expect(Math.abs((w1?.offset ?? 0) - 2 * SECONDS)).toBeLessThanOrEqual(w1?.error ?? 0);
    expect(w1?.error).toBeLessThan(330);
  });

  it('starts no receive before its send and stays finite when a clock jumped within the step', () => {
    const jumped = trainingStep({ [W0]: 2 * SECONDS })
      .node(PS, 'read2', [100, 110])
      .transfer(PS, 'read2', W0, [-3 * SECONDS, -3 * SECONDS]);
    const timeline = stepTimeline(jumped.metadata());
    const { [W0]: worker } = clocksOf(timeline);
    expect(Number.isFinite(worker?.offset)).toBe(true);
    expect(worker?.error).toBeGreaterThan(SECONDS);
    expectReceivesAfterSends(timeline);
    for (const time of Object.values(startsOf(timeline))) expect(time).toBeGreaterThanOrEqual(0);
  });

  it('pairs the turns of a loop in order', () => {
    const step = new SkewedStep({ [W0]: 2 * SECONDS });
    for (const turn of [0, 1, 2]) {
      const at = turn * 1000;
      step.node(PS, 'next', [at, at + 100]).transfer(PS, 'next', W0, [at + 110, at + 300]);
      step.node(W0, 'body', [at + 310, at + 500]).transfer(W0, 'body', PS, [at + 510, at + 700]);
    }
    const timeline = stepTimeline(step.metadata());
    expect(pairTransfers(timeline).map(({ producer, receiver }) => receiver.end - producer.end)).toSatisfy((lengths: number[]) =>
      lengths.every((length) => length > 0 && length < 500),
    );
    expect(clocksOf(timeline)[W0]?.error).toBeLessThan(205);
  });

  it('is more exact with the messages of other steps, as long as these are of the same clocks', () => {
    const quick = new SkewedStep({ [W0]: 2 * SECONDS }, SECONDS)
      .node(PS, 'read', [0, 10])
      .transfer(PS, 'read', W0, [12, 30])
      .node(W0, 'gradient', [35, 40])
      .transfer(W0, 'gradient', PS, [42, 60]);
    const slow = trainingStep({ [W0]: 2 * SECONDS }).metadata();
    const { [W0]: worker } = clocksOf(stepTimeline(slow, { others: [quick.metadata()] }));
    // 20 µs of messages, and 100 µs that the clocks may drift apart in a second.
    expect(worker?.error).toBeLessThan(125);
    expect(Math.abs((worker?.offset ?? 0) - 2 * SECONDS)).toBeLessThanOrEqual(worker?.error ?? 0);
    const set = trainingStep({ [W0]: -7 * SECONDS }, SECONDS).metadata();
    expect(clocksOf(stepTimeline(slow, { others: [set] }))).toEqual(clocksOf(stepTimeline(slow)));
  });

  it('is there in no time for 20,000 entries', () => {
    const step = new SkewedStep({ [W0]: 2 * SECONDS, [W1]: -SECONDS });
    for (let i = 0; i < 2500; i++) {
      const at = i * 100;
      for (const worker of [W0, W1]) {
        step.node(PS, `v${i}`, [at, at + 10]).transfer(PS, `v${i}`, worker, [at + 15, at + 40]);
        step.node(worker, `g${i}${worker}`, [at + 45, at + 60]).transfer(worker, `g${i}${worker}`, PS, [at + 65, at + 90]);
      }
    }
    const metadata = step.metadata();
    const before = process.cpuUsage();
    const timeline = stepTimeline(metadata);
    // Of its own time, in microseconds: others may be busy.
    expect(process.cpuUsage(before).user).toBeLessThan(1.5 * SECONDS);
    expect(timeline.devices.flatMap(({ entries }) => entries)).toHaveLength(20_000);
    expect(Math.abs((clocksOf(timeline)[W0]?.offset ?? 0) - 2 * SECONDS)).toBeLessThan(50);
    expect(timeline.devices[0]?.device).toBe(deviceOf(PS));
  });
});
