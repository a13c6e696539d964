import { expect, it } from 'vitest';
import { DataflowState } from '../../../../task-server/engine/dataflow-state.ts';
import { DEAD } from '../../../../task-server/engine/kernel.ts';
import { KernelCache } from '../../../../task-server/engine/kernel-cache.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { buildSchedule, type ScheduledNode } from '../../../../task-server/engine/schedule.ts';
import { graphOf, node, scalar, source, testDevice, testKernels } from './engine-kit.ts';

function stateOf(...nodes: Parameters<typeof graphOf>): DataflowState {
  const kernels = new KernelRegistry(testKernels([]));
  return new DataflowState(buildSchedule(graphOf(...nodes), { device: testDevice(kernels), kernels, cache: new KernelCache() }));
}

function next(state: DataflowState): ScheduledNode {
  const scheduled = state.next();
  if (!scheduled) throw new Error('nothing is ready');
  return scheduled;
}

it('lets a value go when its last consumer has taken it, and keeps none that nobody consumes', () => {
  const state = stateOf(source('x'), node('a', 'Identity', { inputs: ['x'] }), node('b', 'Identity', { inputs: ['x'] }));
  state.propagate(next(state), [scalar(1)]);
  expect(state.heldValues).toBe(1);
  const [a, b] = [next(state), next(state)];
  state.takeInputs(a);
  expect(state.heldValues).toBe(1);
  state.takeInputs(b);
  expect(state.heldValues).toBe(0);
  state.propagate(a, [scalar(1)]);
  expect(state.heldValues).toBe(0);
});

it('lets the live inputs of a dead node go', () => {
  const state = stateOf(source('x'), source('y'), node('sum', 'AddV2', { inputs: ['x', 'y'] }));
  state.propagate(next(state), [scalar(1)]);
  state.propagate(next(state), DEAD);
  const sum = next(state);
  expect(state.isDead(sum)).toBe(true);
  state.dropInputs(sum);
  expect(state.heldValues).toBe(0);
});

it('holds none of the inputs that come to a merge too late', () => {
  const merge = node('m', 'Merge', { inputs: ['x', 'y'], attrs: { N: { value: { case: 'i', value: 2n } } } });
  const state = stateOf(source('x'), source('y'), merge);
  state.propagate(next(state), [scalar(1)]);
  state.propagate(next(state), [scalar(2)]);
  expect(state.takeInputs(next(state))[0]).toMatchObject({ data: Float32Array.of(1) });
  expect(state.heldValues).toBe(0);
});
