import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeProblem } from '../../../../../main/client/index.ts';
import { missingDevice } from '../../../../../main/program-host/placement/missing-device.ts';
import { placementProblems } from '../../../../../main/program-host/placement/placement-problems.ts';

const devices = (...short: string[]): string[] =>
  short.map((text) => text.replace(/^(\w+)\/(\d+)\/(.*)$/, '/job:$1/replica:0/task:$2/device:$3'));

const available = devices('ps/0/CPU:0', 'worker/0/CPU:0', 'worker/0/GPU:0', 'worker/0/GPU:1', 'worker/1/CPU:0');
const cluster = { available, leftOut: [] };

describe('missingDevice', () => {
  it.each(['', '/job:ps', '/cpu:0', '/job:worker/task:0/gpu:1', '/job:worker/replica:0/task:1/device:CPU:0', '/device:GPU:*'])(
    'finds a device for %s',
    (wanted) => expect(missingDevice(wanted, cluster)).toBeUndefined(),
  );

  it.each([
    ['somewhere', 'which is no device name; an example of one is /job:ps/task:0/device:CPU:0'],
    ['/job:trainer', 'but the cluster has no job trainer; its jobs are ps and worker'],
    ['/job:worker/task:7', "but the cluster's worker tasks are 0 to 1"],
    ['/job:ps/task:1', "but the cluster's only ps task is 0"],
    ['/task:5', 'but no job of the cluster has a task 5'],
    ['/job:ps/gpu:0', 'but /job:ps has no GPU'],
    ['/job:ps/task:0/device:CPU:1', 'but /job:ps/task:0 has only CPU:0'],
    ['/gpu:2', 'but the cluster has only GPU:0 and GPU:1'],
    ['/device:TPU:0', 'but the cluster has no TPU'],
    ['/job:worker/task:1/gpu:0', 'but /job:worker/task:1 has no GPU'],
    ['/job:worker/replica:3', 'but there is only replica 0'],
  ])('says of %s: %s', (wanted, text) => expect(missingDevice(wanted, cluster)).toBe(text));

  it('lists the tasks of a sparse job, and the only job', () => {
    const sparse = { available: devices('l/3/CPU:0', 'l/10/CPU:0', 'l/4/CPU:0'), leftOut: [] };
    expect(missingDevice('/job:l/task:0', sparse)).toBe("but the cluster's l tasks are 3, 4 and 10");
    expect(missingDevice('/job:ps', sparse)).toBe('but the cluster has no job ps; its only job is l');
  });

  it.each([
    ['/job:worker/task:2', 'but the device filters of the session leave out /job:worker/task:2'],
    ['/job:trainer/gpu:0', 'but the device filters of the session leave out /job:trainer'],
    ['/job:worker/task:7', "but the cluster's worker tasks are 0 to 2"],
    ['/job:chief', 'but the cluster has no job chief; its jobs are ps, worker and trainer'],
    ['/job:worker/gpu:2', 'but /job:worker has only GPU:0 and GPU:1'],
  ])('says of %s, where device filters leave tasks out: %s', (wanted, text) => {
    const leftOut = ['/job:worker/replica:0/task:2', '/job:trainer/replica:0/task:0'];
    expect(missingDevice(wanted, { available, leftOut })).toBe(text);
  });
});

describe('placementProblems', () => {
  const graph = (nodes: Readonly<Record<string, string>>) =>
    create(GraphDefSchema, { node: Object.entries(nodes).map(([name, device]) => ({ name, op: 'NoOp', device })) });
  const problem = (node: string, text: string, colocated: readonly string[] = [node]): NodeProblem => ({
    ...{ node, text, colocated },
    code: 'INVALID_ARGUMENT',
  });
  const seven = '/job:worker/task:7';

  it('names the pinned node, not the one that the master found first, with its words as details', () => {
    const pins = { add1: seven };
    const graphDef = graph({ var: seven, add1: seven });
    expect(placementProblems([problem('var', 'no device', ['var', 'add1'])], { graphDef, pins, ...cluster })).toEqual([
      { node: 'add1', text: "add1 is pinned to /job:worker/task:7, but the cluster's worker tasks are 0 to 1", details: 'no device' },
    ]);
  });

  it('tells of each wrong pin of a group, and of a pinned scope once', () => {
    const pins = { a: '/job:x', b: seven, 'hidden/': '/job:y' };
    const graphDef = graph({ a: '/job:x', b: seven, 'hidden/u': '/job:y', 'hidden/v': '/job:y' });
    const problems = [problem('a', 'first', ['a', 'b']), problem('hidden/u', 'second'), problem('hidden/v', 'third')];
    expect(placementProblems(problems, { graphDef, pins, ...cluster }).map(({ node, text }) => [node, text])).toEqual([
      ['a', 'a is pinned to /job:x, but the cluster has no job x; its jobs are ps and worker'],
      ['b', "b is pinned to /job:worker/task:7, but the cluster's worker tasks are 0 to 1"],
      ['hidden/u', 'The 2 nodes below hidden/ are pinned to /job:y, but the cluster has no job y; its jobs are ps and worker'],
    ]);
  });

  it('says what the program itself asks for, many nodes at once', () => {
    const graphDef = graph({ a: '/gpu:9', b: '/gpu:9', c: '/gpu:9' });
    const problems = ['a', 'b', 'c'].map((name) => problem(name, 'no'));
    expect(placementProblems(problems, { graphDef, pins: {}, ...cluster })).toEqual([
      { node: 'a', text: 'a and 2 other nodes ask for /gpu:9, but the cluster has only GPU:0 and GPU:1', details: 'no' },
    ]);
  });

  it('shows what is about no device in the words of the master, without its marks', () => {
    const details = 'Cannot colocate nodes {{colocation_node a}} and {{colocation_node b}}: incompatible\n\t [[{{node a}}]]';
    expect(placementProblems([problem('a', details)], { graphDef: graph({ a: '' }), pins: {}, ...cluster })).toEqual([
      { node: 'a', text: 'Cannot colocate nodes a and b: incompatible', details },
    ]);
  });

  it('says that a pinned op has no kernel for the kind of device', () => {
    const pins = { a: '/job:worker/task:0/gpu:0' };
    const details =
      "Cannot assign a device for operation a: Could not satisfy explicit device specification '/gpu:0' because no supported kernel for GPU devices is available.\nOp: Foo";
    expect(placementProblems([problem('a', details)], { graphDef: graph({ a: pins.a }), pins, ...cluster })).toMatchObject([
      { text: 'a is pinned to /job:worker/task:0/gpu:0, but its op has no kernel for GPU devices' },
    ]);
  });
});
