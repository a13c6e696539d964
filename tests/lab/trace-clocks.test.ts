import { existsSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import type { TraceView } from '#proto/ipc/contract.ts';
import { taskName, taskOfDevice } from '#proto/wire/device-name.ts';
import { ClusterSpec, Graph, Session, TraceLevel } from '../../main/client/index.ts';
import { findArrows } from '../../renderer/plots/timeline/transfers.ts';
import { python, withTensorFlow } from '../support/python.ts';
import { recordTraces, type TracedRun } from '../support/run-traces.ts';
import { freePorts } from '../support/task-ports.ts';
import { startTask, type TaskEngine } from '../support/task-process.ts';
import { FAKETIME } from './support/machine.ts';

const SECONDS = 1_000_000;
const [PS, W0, W1] = [taskName('ps', 0), taskName('worker', 0), taskName('worker', 1)];
/** What scheduling on a busy host may put on top of what messages take. */
const MOST_ERROR = 1 * SECONDS;

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Shape {
  readonly engine: TaskEngine;
  /** Task → how far its clock is off, as libfaketime takes it. */
  readonly clocks: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

/** A parameter server and two workers on this machine, each with a clock of its own. */
async function startTasks({ engine, clocks, env }: Shape): Promise<ClusterSpec> {
  const [ps, w0, w1] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  const cluster = { ps: { 0: ps ?? '' }, worker: { 0: w0 ?? '', 1: w1 ?? '' } };
  const starts = [PS, W0, W1].map(async (task) => {
    const [, job = '', index] = /^\/job:(\w+)\/replica:0\/task:(\d+)$/.exec(task) ?? [];
    const clock = clocks[task];
    const faked = clock && { LD_PRELOAD: FAKETIME, FAKETIME: clock, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    const started = await startTask({ cluster, job, task: Number(index), engine, env: { ...env, ...faked } });
    closers.push(() => started.stop());
  });
  await Promise.all(starts);
  return new ClusterSpec(cluster);
}

/** Both workers read the variable of the parameter server, which adds up what they make of it; traced three times. */
async function recordSteps(spec: ClusterSpec): Promise<TracedRun> {
  const g = new Graph();
  const v = g.device(PS, () => g.variable('v', g.ones([8, 8])));
  const products = [W0, W1].map((task) => g.device(task, () => g.matmul(v, v)));
  const update = g.device(PS, () => v.assignAdd(g.addN(products)));
  const session = new Session(spec.target('worker', 0), { graph: g, cluster: spec });
  closers.push(() => session.close());
  await session.run(v.initializer);
  const traces: RunMetadata[] = [];
  for (let step = 0; step < 3; step++) {
    traces.push((await session.runWithMetadata(update, { options: { traceLevel: TraceLevel.FULL_TRACE } })).metadata);
  }
  const recorded = await recordTraces(traces, { client: W0 });
  closers.push(() => recorded.remove());
  return recorded;
}

/** First start of a task's nodes by the recorded times, in microseconds. */
function recordedStart({ stepStats }: RunMetadata, task: string): number {
  const own = stepStats?.devStats.filter(({ device }) => taskOfDevice(device) === task) ?? [];
  const starts = own.flatMap(({ nodeStats }) => nodeStats).filter(({ nodeName }) => nodeName !== 'RecvTensor');
  return Math.min(...starts.map(({ allStartMicros }) => Number(allStartMicros)));
}

function expectOffsets({ lanes }: TraceView, offsets: Readonly<Record<string, number>>): void {
  expect(lanes).toHaveLength(3);
  for (const { device, clock } of lanes) {
    const { offset, error } = clock ?? { offset: 0, error: 0 };
    expect(error).not.toBeNull();
    expect(error).toBeLessThan(MOST_ERROR);
    expect(Math.abs(offset - (offsets[taskOfDevice(device) ?? ''] ?? 0))).toBeLessThanOrEqual(error ?? 0);
  }
}

/** Resolves to the number of transfers. */
function expectReceivesAfterSends({ lanes, duration }: TraceView): number {
  const arrows = findArrows(lanes).filter(({ producer }) => producer);
  for (const { producer = { lane: 0, slice: 0 }, receiver, leave, arrive } of arrows) {
    const sent = lanes[producer.lane]?.start[producer.slice] ?? Number.NaN;
    expect(lanes[receiver.lane]?.start[receiver.slice]).toBeGreaterThanOrEqual(sent);
    expect(arrive).toBeGreaterThanOrEqual(leave);
  }
  expect(duration).toBeLessThan(MOST_ERROR);
  return arrows.length;
}

async function expectOneClock({ offsets, ...shape }: Shape & { readonly offsets: Readonly<Record<string, number>> }): Promise<void> {
  const { library, run } = await recordSteps(await startTasks(shape));
  const view = await library.trace(run, 'trace-2');
  expectOffsets(view, offsets);
  const views = await Promise.all(['trace-1', 'trace-2', 'trace-3'].map((trace) => library.trace(run, trace)));
  const transfers = views.map(expectReceivesAfterSends);
  // Genuine servers sometimes answer before they have noted all transfers of a step.
  expect(shape.engine === 'bundled' ? Math.min(...transfers) : Math.max(...transfers)).toBeGreaterThanOrEqual(4);
  const { content } = await library.export({ run, format: 'trace.pb', trace: 'trace-2' });
  const recorded = fromBinary(RunMetadataSchema, content);
  for (const [task, offset] of Object.entries(offsets)) {
    const difference = recordedStart(recorded, task) - recordedStart(recorded, W0);
    expect(Math.abs(difference - offset)).toBeLessThan(MOST_ERROR);
  }
}

const twoDiffer = { clocks: { [PS]: '-3s', [W1]: '+2s' }, offsets: { [PS]: -3 * SECONDS, [W1]: 2 * SECONDS } };

describe.skipIf(!existsSync(FAKETIME))('[needs libfaketime] a trace is drawn by one clock, and recorded by those of the tasks,', () => {
  const ways = [
    { way: 'the link', env: {} },
    { way: 'gRPC', env: { LANFLOW_LINK: 'off' } },
  ];
  describe.each(ways)('over $way', ({ env }) => {
    it.each([
      { who: 'a worker is 2 s ahead', clocks: { [W1]: '+2s' }, offsets: { [W1]: 2 * SECONDS } },
      { who: 'a worker is 2 s behind', clocks: { [W1]: '-2s' }, offsets: { [W1]: -2 * SECONDS } },
      { who: 'the master is 2 s ahead', clocks: { [W0]: '+2s' }, offsets: { [PS]: -2 * SECONDS, [W1]: -2 * SECONDS } },
      { who: 'two tasks differ', ...twoDiffer },
      { who: 'all clocks agree', clocks: {}, offsets: {} },
    ])('when $who', ({ clocks, offsets }) => expectOneClock({ engine: 'bundled', env, clocks, offsets }));
  });

  it.skipIf(python === undefined)(withTensorFlow('when two genuine TensorFlow tasks differ'), () =>
    expectOneClock({ engine: 'python', env: {}, ...twoDiffer }),
  );
});
