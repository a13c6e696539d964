import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeTensor, type Tensor, zeros } from '#proto/wire/tensor.ts';
import { Graph } from '../../../../main/client/index.ts';
import type { ClientEvent } from '../../../../main/program-host/protocol.ts';
import { type ControlledStep, StepControl } from '../../../../main/program-host/step-control.ts';
import { parseWatch } from '../../../../main/program-host/watch/watch-expression.ts';
import { Watcher } from '../../../../main/program-host/watch/watcher.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a watched variable is read ten times a second at most, but a new life of it at once', async () => {
  const graph = new Graph();
  graph.variable('w', 0);
  const told: ClientEvent[] = [];
  let steps = 0;
  const watcher = new Watcher([parseWatch('w')], { tell: (event) => told.push(event), steps: () => steps, isStepping: () => false });
  const session = { graph, read: async () => [zeros('float', [])] };
  const step = async (): Promise<readonly number[]> => {
    steps++;
    watcher.stepped(session);
    await vi.advanceTimersByTimeAsync(1);
    return told.flatMap((event) => (event.kind === 'sample' ? [event.step] : []));
  };
  expect(await step()).toEqual([1]);
  expect(await step()).toEqual([1]);
  watcher.beginLife();
  expect(await step()).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(100);
  expect(await step()).toEqual([1, 0, 1]);
});

it('a step waits for the read of the one before, but not for ever, so that each value belongs to its step', async () => {
  const graph = new Graph();
  graph.variable('w', 0);
  const control = new StepControl({ plan: { watch: ['w'] } }, () => {}, new AbortController().signal);
  const reads: (() => void)[] = [];
  const read = (): Promise<readonly Tensor[]> => new Promise((resolve) => reads.push(() => resolve([zeros('float', [])])));
  const session = { graph, read };
  const begun: number[] = [];
  const begin = async (): Promise<ControlledStep> => {
    const step = await control.begin();
    begun.push(step.number);
    return step;
  };
  const end = (step: ControlledStep): void => {
    step.finish();
    control.watcher.stepped(session);
  };

  end(await begin());
  const second = begin();
  await vi.advanceTimersByTimeAsync(400);
  expect(begun).toEqual([1]);
  reads[0]?.();
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual([1, 2]);

  // The time of the next read comes in the middle of a step: its end is waited for.
  await vi.advanceTimersByTimeAsync(2000);
  expect(reads).toHaveLength(1);
  end(await second);
  expect(reads).toHaveLength(2);
  const third = begin();
  await vi.advanceTimersByTimeAsync(1000);
  expect(begun).toEqual([1, 2, 3]);
  (await third).fail();
});

it('a new life is read at once though a read of the old one does not end, and what that brings late is left out', async () => {
  const graph = new Graph();
  graph.variable('w', 0);
  const told: ClientEvent[] = [];
  let steps = 40;
  const reads: ((value: number) => void)[] = [];
  const watcher = new Watcher([parseWatch('w')], { tell: (event) => told.push(event), steps: () => steps, isStepping: () => false });
  const read = (): Promise<readonly Tensor[]> =>
    new Promise((resolve) => reads.push((value) => resolve([makeTensor('float', [], Float32Array.of(value))])));
  const session = { graph, read };
  const samples = () => told.flatMap((event) => (event.kind === 'sample' ? [[event.step, event.value]] : []));

  watcher.stepped(session);
  watcher.beginLife();
  expect(reads).toHaveLength(2);
  reads[1]?.(1);
  await vi.advanceTimersByTimeAsync(1);
  reads[0]?.(40);
  await vi.advanceTimersByTimeAsync(1);
  expect(samples()).toEqual([[0, 1]]);

  steps++;
  await vi.advanceTimersByTimeAsync(100);
  watcher.stepped(session);
  reads[2]?.(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(samples()).toEqual([
    [0, 1],
    [1, 2],
  ]);
});
