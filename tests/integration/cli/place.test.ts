import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { startCluster } from '../../support/cluster.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url));
const WORKER_1 = '/job:worker/replica:0/task:1';

describe('lanflow place', () => {
  it('shows where the nodes of a program go, and why', async () => {
    const { code, stdout, stderr } = await runCli(['place', 'ps-workers', '--client', WORKER_1, '--pin', 'var=/job:worker/task:1']);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^NODE +DEVICE +WHY\n/);
    expect(stdout).toMatch(new RegExp(`^var +${WORKER_1}/device:CPU:0 +requested$`, 'm'));
    expect(code).toBe(0);
  });

  it('tells wrong and unused pins, and fails', async () => {
    const pins = ['--pin', 'var=/job:worker/task:7', '--pin', 'ghost=/cpu:0'];
    const { code, stdout, stderr } = await runCli(['place', 'ps-workers', ...pins]);
    expect(stderr).toContain("lanflow place: var is pinned to /job:worker/task:7, but the cluster's worker tasks are 0 to 1\n");
    expect(stderr).toContain('lanflow place: the graph has no node for --pin ghost\n');
    expect(stdout).not.toMatch(/^var /m);
    expect(stdout).toMatch(/^finished /m);
    expect(code).toBe(1);
  });

  it('heeds the device filters of the session', async () => {
    const { code, stdout, stderr } = await runCli(['place', 'ps-workers', '--client', WORKER_1, '--pin', 'var=/job:worker/task:0']);
    const text = 'var is pinned to /job:worker/task:0, but the device filters of the session leave out /job:worker/task:0';
    expect(stderr).toContain(`lanflow place: ${text}\n`);
    expect(stdout).not.toMatch(/^var /m);
    expect(code).toBe(1);
  });

  it('heeds the soft placement of the session', async () => {
    const { code, stdout, stderr } = await runCli(['place', fixture('soft.ts')]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^x +\/job:worker\/replica:0\/task:0\/device:CPU:0 /m);
  });

  it('takes graphs, modules, and clusters that nobody has started, and speaks JSON', async () => {
    const graph = JSON.parse((await runCli(['place', fixture('scale.pbtxt'), '--json'])).stdout);
    expect(graph).toMatchObject({ client: 'client', devices: { y: '/job:localhost/replica:0/task:0/device:CPU:0' }, problems: [] });
    expect((await runCli(['place', fixture('double.ts')])).stdout).toMatch(/^Mul +\/job:calculator\/replica:0\/task:0\/device:CPU:0 /m);
    const cluster = JSON.stringify({ ps: ['nowhere:1'], worker: { 1: 'nowhere:2', 3: 'nowhere:3' } });
    const client = '/job:worker/replica:0/task:3';
    const args = ['place', 'ps-workers', '--cluster', cluster, '--client', client, '--pin', 'var=/job:worker/task:0', '--json'];
    const { code, stdout } = await runCli(args);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      client,
      problems: [{ node: 'var', text: "var is pinned to /job:worker/task:0, but the cluster's worker tasks are 1 and 3" }],
    });
  });

  it('asks a task that runs', async () => {
    const cluster = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'bundled', bundledFlags: ['--placement', 'local'] });
    try {
      const args = ['place', 'ps-workers', '--target', cluster.target('worker', 1), '--json'];
      const { code, stdout, stderr } = await runCli([...args, '--client', WORKER_1, '--pin', 'var=/job:worker']);
      expect(stderr).toBe('');
      expect(JSON.parse(stdout).devices).toMatchObject({ var: `${WORKER_1}/device:CPU:0` });
      expect(code).toBe(0);
    } finally {
      await cluster.stop();
    }
  });

  it('says why there is nothing to place', async () => {
    const unknown = await runCli(['place', 'ps-workers', '--client', 'nobody']);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("Client 'nobody' builds no graph; these do: /job:ps")]);
    const broken = await runCli(['place', fixture('broken.ts')]);
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringMatching(/INVALID_ARGUMENT.*broken\.ts/)]);
  });
});
