import { describe, expect, it } from 'vitest';
import type { ClusterInfo, JobDraft, TaskInfo } from '#proto/ipc/contract.ts';
import { exportCluster } from '../../../../main/cluster/forms/export.ts';
import { parseCluster } from '../../../../main/cluster/forms/parse.ts';
import { Random } from '../../../long/support/random.ts';

const machineOf = (host: string): string => host;
const parse = (text: string): readonly JobDraft[] => parseCluster(text, machineOf);
const places = (jobs: readonly JobDraft[]) =>
  jobs.map(({ name, tasks }) => [name, tasks.map(({ index, machine, port }) => [index, `${machine}:${port}`])]);

const stopped = {
  state: 'stopped',
  reason: '',
  address: '',
  startedAt: 0,
  incarnation: '',
  memory: 0,
  heartbeatAge: -1,
  stepsPerSecond: -1,
  restarts: 0,
} as const;
const clusterOf = (jobs: readonly JobDraft[]): ClusterInfo => ({
  id: 'c',
  title: 'c',
  state: 'stopped',
  jobs: jobs.map(({ name, tasks }) => ({
    name,
    tasks: tasks.map((task): TaskInfo => ({ ...task, ...stopped, name: `/job:${name}/replica:0/task:${task.index}` })),
  })),
});

const expected = [
  ['ps', [[0, 'a:2222']]],
  [
    'worker',
    [
      [0, 'b:2222'],
      [1, 'b:2223'],
    ],
  ],
];

describe('a cluster from text', () => {
  it.each([
    ['Python', `cluster = tf.train.ClusterSpec({"ps": ["a:2222"], 'worker': ['b:2222', "b:2223",],})`],
    ['Python with comments', `# the lab\nspec = {\n  'ps': ('a:2222',), # one\n  'worker': {0: 'b:2222', 1: 'b:2223'}\n}\nmore(code)`],
    ['JSON', '{"ps": ["a:2222"], "worker": ["b:2222", "b:2223"]}'],
    ['TF_CONFIG', '{"cluster": {"ps": ["a:2222"], "worker": ["b:2222", "b:2223"]}, "task": {"type": "ps", "index": 0}}'],
    ['TF_CONFIG in a shell', `export TF_CONFIG='{"cluster": {"ps": ["a:2222"], "worker": ["b:2222", "b:2223"]}}'`],
    ['a hostfile', 'a:2222 # /job:ps/task:0\n\n# comment\nb:2222 # /job:worker/task:0\nb:2223  # /job:worker/replica:0/task:1 fast\n'],
  ])('%s', (_, text) => {
    expect(places(parse(text))).toEqual(expected);
  });

  it('takes a bare list of addresses as workers, and IPv6', () => {
    expect(places(parse('a:1\n[::1]:2'))).toEqual([
      [
        'worker',
        [
          [0, 'a:1'],
          [1, '::1:2'],
        ],
      ],
    ]);
  });

  it.each([
    ['', /names no task/],
    ['{}', /names no task/],
    ['{"ps": "a:1"}', /Job 'ps' must have a list/],
    ['{"ps": []}', /Job 'ps' must have a list/],
    ['{"ps": ["a"]}', /Could not interpret "a" as a host-port pair/],
    ['{"p s": ["a:1"]}', /cannot be the name of a job/],
    ['{"ps":\n ["a:1"', /Line 2: the text ends too early/],
    ['{"ps":\n [a:1]}', /Line 2: 'a' is no text/],
    ['{"ps" ["a:1"]}', /Line 1: '\[' stands where ':' is expected/],
    [`{"a": ${'['.repeat(50)}`, /nested too deeply/],
    ['worker one', /Line 1 is no 'host:port'/],
  ])('%j says what is wrong', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('comes back from every form, whatever the cluster', () => {
    for (let seed = 1; seed <= 100; seed++) {
      const random = new Random(seed);
      const jobs = Array.from({ length: random.between(1, 4) }, (_, j): JobDraft => {
        let index = 0;
        const next = (): number => (index += random.chance(0.3) ? random.between(1, 5) : 1);
        const tasks = Array.from({ length: random.between(1, 4) }, (__, t) => ({
          index: t === 0 && random.chance(0.8) ? 0 : next(),
          machine: random.pick(['127.0.0.1', 'lab-3.local', 'fe80::1']),
          engine: 'bundled' as const,
          port: random.below(65536),
          virtualGpus: 0,
        }));
        return { name: `${random.pick(['ps', 'worker', 'canshu', 'Z_'])}${j}`, tasks };
      });
      const { python, json, hostfile, tfConfig, client } = exportCluster(clusterOf(jobs), (machine) => machine);
      for (const text of [python, json, hostfile, client, ...Object.values(tfConfig)])
        expect(parse(text), `seed ${seed}: ${text}`).toEqual(jobs);
    }
  });

  it('prefers the address of a running task', () => {
    const [job] = parse('h:0');
    const info = clusterOf([job as JobDraft]);
    const running = {
      ...info,
      jobs: info.jobs.map(({ name, tasks }) => ({ name, tasks: tasks.map((task) => ({ ...task, address: '127.0.0.1:7' })) })),
    };
    expect(exportCluster(running, machineOf).hostfile).toBe('127.0.0.1:7  # /job:worker/task:0\n');
  });

  it('has the client go through the gateway where there is one, and everybody else to the tasks', () => {
    const info = { ...clusterOf(parse('a:1\nb:2')), gateway: { '/job:worker/replica:0/task:1': '127.0.0.1:7' } };
    const { client, ...others } = exportCluster(info, machineOf);
    expect(client).toContain('ClusterSpec({\n    "worker": ["a:1", "127.0.0.1:7"],\n})');
    expect(JSON.stringify(others)).not.toContain('127.0.0.1');
  });
});
