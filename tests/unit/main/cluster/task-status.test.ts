import { describe, expect, it } from 'vitest';
import { clusterState, nextStatus, STOPPED, type TaskEvent, type TaskStatus } from '../../../../main/cluster/task-status.ts';

const after = (...events: readonly TaskEvent[]): TaskStatus =>
  events.reduce<TaskStatus>((status, event) => nextStatus(status, event), STOPPED);

const started = { kind: 'started' } as const;
const listens = { kind: 'listens', at: 1000 } as const;
const answered = { kind: 'answered', incarnation: 'a'.repeat(16), at: 2000 } as const;
const silent = { kind: 'silent', reason: 'timed out' } as const;
const ended = { kind: 'ended', reason: 'SIGKILL' } as const;
const paused = { kind: 'paused' } as const;

describe('a task', () => {
  it.each([
    ['starts', [started], { state: 'starting', startedAt: 0 }],
    ['waits with a reason', [started, { kind: 'waits', reason: 'slow' }], { state: 'waiting', reason: 'slow' }],
    ['runs when it listens', [started, { kind: 'waits', reason: 'slow' }, listens], { state: 'running', reason: '', startedAt: 1000 }],
    [
      'knows its incarnation when it answers',
      [started, listens, answered],
      { state: 'running', incarnation: 'a'.repeat(16), answeredAt: 2000 },
    ],
    ['is lost when it falls silent', [started, listens, answered, silent], { state: 'lost', reason: 'timed out', answeredAt: 2000 }],
    ['is back when it answers again', [started, listens, silent, answered], { state: 'running', reason: '' }],
    ['is lost when it ends', [started, listens, answered, ended], { state: 'lost', reason: 'SIGKILL', startedAt: 0, incarnation: '' }],
    ['is not back from the dead', [started, listens, ended, answered], { state: 'lost', reason: 'SIGKILL' }],
    ['is lost when it does not come up', [started, ended], { state: 'lost' }],
    ['is silent because it is paused', [started, listens, paused, silent], { state: 'paused', reason: '' }],
    ['goes on when it is resumed', [started, listens, paused, { kind: 'resumed' }], { state: 'running' }],
    ['may end while it is paused', [started, listens, paused, ended], { state: 'lost' }],
    ['stops', [started, listens, answered, { kind: 'stopped' }], STOPPED],
    ['stays stopped when its process ends', [started, listens, { kind: 'stopped' }, ended], STOPPED],
    ['that is stopped hears nothing', [answered, silent, paused, { kind: 'resumed' }], STOPPED],
  ] as const)('%s', (_, events, expected) => {
    expect(after(...events)).toMatchObject(expected);
  });
});

describe('a cluster', () => {
  it.each([
    ['stopped', ['stopped'], 'stopped'],
    ['starting', ['running', 'starting'], 'starting'],
    ['started', ['running', 'running'], 'running'],
    ['started', ['running', 'lost'], 'degraded'],
    ['started', ['running', 'paused'], 'degraded'],
    ['stopping', ['running'], 'stopping'],
  ] as const)('that is %s with tasks %j is %s', (phase, tasks, expected) => {
    expect(clusterState(phase, tasks)).toBe(expected);
  });
});
