import { describe, expect, it } from 'vitest';
import type { NodeExecStats } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { makeTensor } from '#proto/wire/tensor.ts';
import type { Output } from '../../../../task-server/engine/kernel.ts';
import { StepStatsCollector } from '../../../../task-server/engine/step-stats-collector.ts';
import { type Behaviour, bool, CPU0, compile, graphOf, node, scalar, source, step, testKernels } from './engine-kit.ts';

/** A clock that is 1.5 µs later at each look. */
function tickingClock(): () => bigint {
  let now = 1_700_000_000_000_000_000n;
  return () => {
    now += 1500n;
    return now;
  };
}

async function trace(nodes: Parameters<typeof graphOf>, behaviour: Behaviour = {}): Promise<NodeExecStats[]> {
  const collector = new StepStatsCollector(tickingClock());
  await compile(graphOf(...nodes), testKernels([], behaviour)).run(step({ collector }));
  const { devStats } = collector.stepStats();
  expect(devStats.map(({ device }) => device)).toEqual([CPU0]);
  return devStats[0]?.nodeStats ?? [];
}

describe('StepStatsCollector', () => {
  it('has an entry for the start and for each node, labelled with op and inputs', async () => {
    const entries = await trace([source('x'), node('sum', 'AddV2', { inputs: ['x', 'x', '^n'] }), node('n', 'NoOp', { types: {} })]);
    expect(entries.map(({ nodeName, timelineLabel }) => [nodeName, timelineLabel])).toEqual([
      ['_SOURCE', '_SOURCE = NoOp()'],
      ['x', 'x = Placeholder()'],
      ['n', 'n = NoOp()'],
      ['sum', 'sum = AddV2(x, x, ^n)'],
    ]);
  });

  it('takes the times in order, from the epoch and relative, in both units', async () => {
    const [sourceEntry, x] = await trace([source('x')]);
    expect(sourceEntry?.allStartNanos).toBe(1_700_000_000_000_001_500n);
    expect(x).toMatchObject({
      scheduledNanos: 1_700_000_000_000_003_000n,
      allStartNanos: 1_700_000_000_000_004_500n,
      opStartRelNanos: 1500n,
      opEndRelNanos: 3000n,
      allEndRelNanos: 4500n,
      scheduledMicros: 1_700_000_000_000_003n,
      allStartMicros: 1_700_000_000_000_004n,
      opStartRelMicros: 2n,
      opEndRelMicros: 3n,
      allEndRelMicros: 5n,
      threadId: 0,
    });
  });

  it('ends the time of the op when its promise does', async () => {
    let finish = () => {};
    const slow = () => new Promise<readonly Output[]>((resolve) => (finish = () => resolve([scalar(1)])));
    const quick = () => {
      finish();
      return [scalar(1)];
    };
    const entries = await trace([source('slow'), source('quick')], { slow, quick });
    expect(entries.map(({ nodeName }) => nodeName)).toEqual(['_SOURCE', 'quick', 'slow']);
  });

  it('leaves out transfers, dead nodes and nodes that failed', async () => {
    const p = node('p', 'Placeholder', { types: { dtype: 'bool' } });
    const branch = [source('x'), p, node('sw', 'Switch', { inputs: ['x', 'p'] }), node('no', 'Identity', { inputs: ['sw'] })];
    const entries = await trace(branch, { p: () => [bool(true)] });
    expect(entries.map(({ nodeName }) => nodeName)).toEqual(['_SOURCE', 'x', 'p', 'sw']);
    expect(entries.at(-1)?.output.map(({ slot }) => slot)).toEqual([1]);
  });

  it('describes outputs, and the memory of those that the node made', async () => {
    const big = makeTensor('float', [300, 100], new Float32Array(30_000));
    const made = makeTensor('float', [300, 100], new Float32Array(30_000));
    const nodes = [source('x'), node('same', 'Identity', { inputs: ['x'] }), node('new', 'Identity', { inputs: ['x'] })];
    const [, , same, fresh] = await trace(nodes, { x: () => [big], new: () => [made] });
    expect(same?.timelineLabel).toBe('same = Identity(x)');
    expect(same?.memory).toEqual([]);
    expect(fresh?.timelineLabel).toBe('[cpu 0.1MB 0.1MB] new = Identity(x)');
    expect(fresh?.memory).toMatchObject([{ allocatorName: 'cpu', totalBytes: 120_000n, peakBytes: 120_000n, liveBytes: 120_000n }]);
    expect(fresh?.output).toMatchObject([
      {
        slot: 0,
        tensorDescription: {
          dtype: 1,
          shape: { dim: [{ size: 300n }, { size: 100n }] },
          allocationDescription: { requestedBytes: 120_000n, allocatedBytes: 120_000n, allocatorName: 'cpu' },
        },
      },
    ]);
  });

  it('gives each device of the process its own list', () => {
    const collector = new StepStatsCollector(tickingClock());
    collector.device('/device:CPU:0');
    collector.device('/device:CPU:1');
    expect(collector.stepStats().devStats.map(({ device, nodeStats }) => [device, nodeStats.length])).toEqual([
      ['/device:CPU:0', 1],
      ['/device:CPU:1', 1],
    ]);
  });
});
