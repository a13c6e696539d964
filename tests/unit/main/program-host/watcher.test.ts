import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { zeros } from '#proto/wire/tensor.ts';
import { Graph } from '../../../../main/client/index.ts';
import type { ClientEvent } from '../../../../main/program-host/protocol.ts';
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
  const watcher = new Watcher([parseWatch('w')], { tell: (event) => told.push(event), steps: () => steps });
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
