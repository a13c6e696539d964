import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { type Task, TaskSchema, TaskStatusSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { KnownTasks } from '../../../../main/machines/known-tasks.ts';

const task = (id: string, state: string, revision: number): Task =>
  create(TaskSchema, { id, setup: { cluster: 'c', job: 'w', index: 0 }, status: { id, state, revision } });
const status = (id: string, state: string, revision: number) => create(TaskStatusSchema, { id, state, revision });
const line = (number: number) => ({ $typeName: 'lanflow.LogLine' as const, number, time: 0, text: '' });

describe('what is known of the tasks of a machine', () => {
  it('is the newest, in whatever order answers and events come', () => {
    const known = new KnownTasks();
    known.reset([task('a', 'running', 3)]);
    known.learn(task('a', 'starting', 5));
    known.learn({ id: 'a', status: status('a', 'running', 4) });
    expect(known.byId.get('a')?.status.state).toBe('starting');
    known.learn({ id: 'a', status: status('a', 'running', 6) });
    expect(known.byId.get('a')).toMatchObject({ setup: { cluster: 'c' }, status: { state: 'running' } });
  });

  it('leaves out the status of a task that it has not heard of, or that is gone', () => {
    const known = new KnownTasks();
    known.learn({ id: 'a', status: status('a', 'running', 1) });
    known.learn(task('b', 'running', 2));
    known.remove('b');
    known.learn({ id: 'b', status: status('b', 'running', 3) });
    expect([...known.byId.keys()]).toEqual([]);
  });

  it('remembers which lines come next, also when another agent has the task by now', () => {
    const known = new KnownTasks();
    known.learn(task('a', 'running', 1));
    expect(known.hear('a', [line(0), line(1)])?.id).toBe('a');
    expect([known.hear('a', []), known.nextLines]).toEqual([undefined, { a: 2 }]);
    known.reset([task('a', 'running', 9)]);
    expect(known.nextLines).toEqual({ a: 2 });
    known.reset([]);
    expect(known.nextLines).toEqual({});
  });

  it('takes a smaller revision from another agent', () => {
    const known = new KnownTasks();
    known.reset([task('a', 'running', 90)]);
    known.reset([task('a', 'starting', 1)]);
    expect(known.byId.get('a')?.status.state).toBe('starting');
  });
});
