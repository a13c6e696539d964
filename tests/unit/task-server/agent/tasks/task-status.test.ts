import { describe, expect, it } from 'vitest';
import { type KnownStatus, nextStatus, STOPPED, type TaskEvent } from '../../../../../task-server/agent/tasks/task-status.ts';

const after = (...events: readonly TaskEvent[]): KnownStatus =>
  events.reduce<KnownStatus>((status, event) => nextStatus(status, event), STOPPED);

const started = { kind: 'started' } as const;
const listens = { kind: 'listens', at: 1000 } as const;
const answered = { kind: 'answered', incarnation: 'a'.repeat(16), at: 2000 } as const;
const silent = { kind: 'silent', reason: 'timed out' } as const;
const ended = { kind: 'ended', reason: 'SIGKILL', code: 14 } as const;
const willRestart = { kind: 'willRestart', reason: 'in 1 s' } as const;
const adopted = { kind: 'adopted', at: 900, isPaused: false } as const;
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
    [
      'waits for its restart',
      [started, listens, answered, willRestart],
      { state: 'waiting', reason: 'in 1 s', startedAt: 0, incarnation: '' },
    ],
    ['comes up again by itself', [started, listens, willRestart, started, listens], { state: 'running', reason: '' }],
    ['runs on with another agent', [started, adopted], { state: 'running', startedAt: 900, incarnation: '' }],
    ['stays paused with another agent', [started, { ...adopted, isPaused: true }, silent, answered], { state: 'paused', startedAt: 900 }],
    ['is lost when another agent hears nothing of it', [started, adopted, silent], { state: 'lost', reason: 'timed out' }],
    ['tells why it was lost', [started, { ...ended, code: 5 }], { state: 'lost', code: 5 }],
    ['forgets why when it is started anew', [started, ended, started], { state: 'starting', reason: '', code: 0 }],
    ['stops', [started, listens, answered, { kind: 'stopped' }], STOPPED],
    ['stays stopped when its process ends', [started, listens, { kind: 'stopped' }, ended], STOPPED],
    ['that is stopped hears nothing', [answered, silent, paused, { kind: 'resumed' }, willRestart], STOPPED],
  ] as const)('%s', (_, events, expected) => {
    expect(after(...events)).toMatchObject(expected);
  });
});
