import { describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { parseCluster } from '../../../../task-server/flags.ts';
import { clusterTasks, findOwnTask } from '../../../../task-server/service/cluster-tasks.ts';

it('sorts tasks by job and by number, not by text', () => {
  const cluster = parseCluster({ worker: { 10: 'h:10', 2: 'h:2' }, ps: ['h:0'] });
  expect(clusterTasks(cluster).map(({ task }) => task)).toEqual([
    '/job:ps/replica:0/task:0',
    '/job:worker/replica:0/task:2',
    '/job:worker/replica:0/task:10',
  ]);
});

describe('the task of a process', () => {
  it('may have any index that the job lists', () => {
    expect(findOwnTask(parseCluster({ l: { 3: 'host-a:2222' } }), 'l', 3)).toEqual({
      task: '/job:l/replica:0/task:3',
      host: 'host-a',
      port: 2222,
    });
  });

  it('may live at an IPv6 address', () => {
    expect(findOwnTask(parseCluster({ l: ['[::1]:80'] }), 'l', 0)).toMatchObject({ host: '::1', port: 80 });
  });

  it.each([
    { cluster: { l: ['localhost'] }, code: Code.INVALID_ARGUMENT, text: 'Could not parse port for local server from "localhost"' },
    { cluster: { l: ['localhost:abc'] }, code: Code.INVALID_ARGUMENT, text: 'Could not parse port for local server from "localhost:abc"' },
    { cluster: { l: ['grpc://h:1'] }, code: Code.INVALID_ARGUMENT, text: 'Could not interpret "grpc://h:1" as a host-port pair' },
    { cluster: { l: ['h:1', 'grpc://h:2'] }, code: Code.INVALID_ARGUMENT, text: 'Could not interpret "grpc://h:2" as a host-port pair' },
    { cluster: { l: ['h:1', 'h'] }, code: Code.INVALID_ARGUMENT, text: 'Could not interpret "h" as a host-port pair' },
    { cluster: { l: ['h:99999'] }, code: Code.INVALID_ARGUMENT, text: '65535' },
    { cluster: { m: ['h:1'] }, code: Code.INTERNAL, text: 'Job "l" was not defined in cluster' },
    { cluster: { l: { 5: 'h:1' } }, code: Code.INTERNAL, text: 'Task 0 was not defined in job "l"' },
  ])('is refused in $cluster', ({ cluster, code, text }) => {
    expect(() => findOwnTask(parseCluster(cluster), 'l', 0)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
  });
});
