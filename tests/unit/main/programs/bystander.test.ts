import { expect, it, vi } from 'vitest';
import type { TaskContext } from '../../../../main/client/index.ts';
import { findProgram } from '../../../../main/programs/index.ts';

it.each([
  ['wait-for-initialization', 'local', 2],
  ['wait-for-initialization', 'A', 0],
  ['ps-workers', 'ps', 1],
  ['ps-workers', 'A', 0],
  ['mixed-replication', 'ps', 1],
  ['mixed-replication', 'worker', 4],
  ['mixed-replication', 'A', 0],
  ['abc-workers-d-ps', 'ps', 1],
  ['abc-workers-d-ps', 'worker', 3],
  ['abc-workers-d-ps', 'D', 0],
])('%s leaves task %s %d of a larger cluster alone, and says so', async (name, job, index) => {
  const log = vi.fn();
  // Whatever else it asks of its context is not there.
  const context = { job, index, log } as unknown as TaskContext;
  expect(await findProgram(name)?.task?.(context)).toEqual({});
  expect(log.mock.calls).toEqual([[`/job:${job}/task:${index} has no part in this program`]]);
});
