import { describe, expect, it } from 'vitest';
import type { TaskState } from '#proto/ipc/contract.ts';
import { clusterState } from '../../../../main/cluster/cluster-state.ts';

const tasks = (...states: TaskState[]) => states.map((state) => ({ state, restarts: 0 }));

describe('a cluster', () => {
  it.each([
    ['stopped', tasks('stopped'), 'stopped'],
    ['starting', tasks('running', 'starting'), 'starting'],
    ['started', tasks('running', 'running'), 'running'],
    ['started', tasks('running', 'lost'), 'degraded'],
    ['started', tasks('running', 'paused'), 'degraded'],
    ['started', tasks('running', 'waiting'), 'starting'],
    ['started', [...tasks('running'), { state: 'waiting' as const, restarts: 1 }], 'degraded'],
    ['stopping', tasks('running'), 'stopping'],
  ] as const)('that is %s with tasks %j is %s', (phase, all, expected) => {
    expect(clusterState(phase, all)).toBe(expected);
  });
});
