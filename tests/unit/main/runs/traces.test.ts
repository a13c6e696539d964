import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import type { ExportFormat, TraceClock } from '#proto/ipc/contract.ts';
import { slicesInFile } from '../../../support/chrome-trace.ts';
import { recordTraces, type TracedRun } from '../../../support/run-traces.ts';
import { deviceOf, PS, SkewedStep, W0 } from '../../../support/skewed-step.ts';

const SECONDS = 1_000_000;
let traced: TracedRun | undefined;

afterEach(() => traced?.remove());

/** A worker whose clock is 2 s ahead sends back what it was sent; what is on its way takes `delay` microseconds. */
function step(delay: number, begin: number): RunMetadata {
  return new SkewedStep({ [W0]: 2 * SECONDS }, begin)
    .node(PS, 'read', [0, 20])
    .transfer(PS, 'read', W0, [20, 20 + delay])
    .node(W0, 'gradient', [40 + delay, 90 + delay])
    .transfer(W0, 'gradient', PS, [90 + delay, 90 + 2 * delay])
    .metadata();
}

async function record(...delays: readonly number[]): Promise<TracedRun> {
  traced = await recordTraces(delays.map((delay, i) => step(delay, (i * SECONDS) / 10)));
  return traced;
}

async function clockOf({ library, run }: TracedRun, trace: string): Promise<TraceClock | null | undefined> {
  const { lanes } = await library.trace(run, trace);
  return lanes.find(({ device }) => device === deviceOf(W0))?.clock;
}

async function exported({ library, run }: TracedRun, format: ExportFormat): Promise<Buffer> {
  return Buffer.from((await library.export({ run, format, trace: 'trace-1' })).content);
}

describe('traces of tasks whose clocks differ', () => {
  it('are listed and shown by one clock', async () => {
    const { library, run } = await record(400);
    const [info] = library.traces(run);
    const view = await library.trace(run, 'trace-1');
    expect(info?.duration).toBeLessThan(1000);
    expect(view.duration).toBe(info?.duration);
    expect(view.lanes.map(({ clock }) => clock?.error)).toEqual([undefined, expect.closeTo(400, -1)]);
    expect(view.lanes.map(({ clock }) => Math.round((clock?.offset ?? 0) / SECONDS))).toEqual([0, 2]);
  });

  it('help each other to tell how far a clock is off', async () => {
    const run = await record(400, 30, 500);
    for (const trace of ['trace-1', 'trace-2', 'trace-3']) {
      const { offset, error } = (await clockOf(run, trace)) ?? { offset: 0, error: 0 };
      expect(error).toBeLessThan(60);
      expect(Math.abs(offset - 2 * SECONDS)).toBeLessThanOrEqual(error ?? 0);
    }
  });

  it('do without one that cannot be read', async () => {
    const run = await record(400, 30);
    await rm(join(run.folder, run.run, 'traces', 'trace-2.pb'));
    expect((await clockOf(run, 'trace-1'))?.error).toBeCloseTo(400, -1);
    await expect(run.library.trace(run.run, 'trace-2')).rejects.toMatchObject({
      codeName: 'NOT_FOUND',
      message: expect.stringMatching(/^The trace .*trace-2\.pb cannot be read: it is not there$/),
    });
  });

  it('do without one that is damaged, which is said where it is opened', async () => {
    const run = await record(400, 30);
    await writeFile(join(run.folder, run.run, 'traces', 'trace-2.pb'), Buffer.from([0xff, 0xff, 0xff]));
    expect((await clockOf(run, 'trace-1'))?.error).toBeCloseTo(400, -1);
    await expect(run.library.trace(run.run, 'trace-2')).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      message: expect.stringMatching(/^The trace .*trace-2\.pb is damaged; the others of the run can still be opened$/),
    });
  });

  it('are exported to Chrome and as a table by that clock, and as they were recorded as RunMetadata', async () => {
    const run = await record(400);
    const clock = await clockOf(run, 'trace-1');
    const chrome = await exported(run, 'trace.json');
    const { otherData, traceEvents } = JSON.parse(chrome.toString());
    expect(otherData.clocks).toEqual({ [deviceOf(W0)]: { offset_us: clock?.offset, error_us: clock?.error } });
    expect(traceEvents).toContainEqual(
      expect.objectContaining({ name: 'process_labels', args: { labels: expect.stringMatching(/^clock .* ahead/) } }),
    );
    const recorded = fromBinary(RunMetadataSchema, await exported(run, 'trace.pb'));
    expect(recorded).toEqual(step(400, 0));
    const gradient = recorded.stepStats?.devStats.flatMap(({ nodeStats }) => nodeStats).find(({ nodeName }) => nodeName === 'gradient');
    expect(slicesInFile(chrome).find(({ node }) => node === 'gradient')?.start).toBe(Number(gradient?.allStartMicros));
    const rows = (await exported(run, 'nodes.csv'))
      .toString()
      .trimEnd()
      .split('\r\n')
      .map((row) => row.split(','));
    const column = (name: string): Record<string, string> =>
      Object.fromEntries(rows.map((row) => [row[1], row[rows[0]?.indexOf(name) ?? 0] ?? '']));
    expect(column('duration_us')).toMatchObject({ read: '20', gradient: '50' });
    expect(column('clock_offset_us')).toMatchObject({ read: '0', gradient: String(clock?.offset) });
    expect(Number(column('start_us')['gradient'])).toBeLessThan(1000);
  });
});
