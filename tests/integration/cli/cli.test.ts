import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';
import { freePorts } from '../../support/task-ports.ts';

const document = fileURLToPath(new URL('../../fixtures/documents/in-graph-regression.lanflow.json', import.meta.url));
const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url));

describe('lanflow', () => {
  let folder: string;
  let cluster: Cluster;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-cli-'));
    cluster = await startCluster({ jobs: { ps: 1, worker: 1 }, engine: 'bundled' });
  });
  afterAll(async () => {
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  it('demo ends by itself with the final value 10.0 and a trace that names all devices', async () => {
    const { code, stdout } = await runCli(['demo'], { cwd: folder });
    expect(code).toBe(0);
    expect(stdout).toBe('final value 10.0\n');
    const trace = JSON.parse(await readFile(join(folder, 'lanflow-demo-trace.json'), 'utf8'));
    const processes = trace.traceEvents.filter((event: { name: string }) => event.name === 'process_name');
    expect(processes.map((event: { args: { name: string } }) => event.args.name)).toContain('/job:ps/replica:0/task:0/device:CPU:0');
    const printed = await runCli(['trace', 'lanflow-demo-trace.pb'], { cwd: folder });
    expect(printed.stdout).toMatch(/^\/job:ps\/replica:0\/task:0\/device:CPU:0\n {2,}\d+ µs {2,}\+\d+ µs {2}\S+ \(/);
  });

  it('lists devices as a table and as JSON', async () => {
    const table = await runCli(['devices', '--target', cluster.target('ps', 0)]);
    expect(table.stdout.split('\n')[0]).toMatch(/^DEVICE +TYPE +MEMORY +INCARNATION/);
    const json = await runCli(['devices', '--target', cluster.target('ps', 0), '--json']);
    const names = JSON.parse(json.stdout).map(({ name }: { name: string }) => name);
    expect(names).toEqual(['/job:ps/replica:0/task:0/device:CPU:0', '/job:worker/replica:0/task:0/device:CPU:0']);
  });

  it('runs a module of the user on tasks that it starts for it', async () => {
    const { code, stdout, stderr } = await runCli(['run', fixture('double.ts'), '--json']);
    expect(stderr).toContain('doubled: 42');
    expect(JSON.parse(stdout)).toEqual({ client: { value: 42 } });
    expect(code).toBe(0);
  });

  it('runs one step of a GraphDef on a cluster, with feeds', async () => {
    const { stdout, code } = await runCli([
      ...['run', fixture('scale.pbtxt'), '--target', cluster.target('worker', 0)],
      ...['--fetch', 'y:0', '--feed', 'x=[1, 2.5]', '--json'],
    ]);
    expect(JSON.parse(stdout)).toEqual({ 'y:0': [3, 7.5] });
    expect(code).toBe(0);
  });

  it('runs a graph document, as it says or as the flags say', async () => {
    const args = ['run', document, '--steps', '30', '--json', '--no-record'];
    const { stdout, stderr, code } = await runCli([
      ...args,
      '--fetch',
      'weight',
      '--watch',
      'bias',
      '--trace-every',
      '10',
      '--interval',
      '1',
    ]);
    expect(stderr).not.toContain('lanflow run:');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ weight: [expect.any(Number)] });
    const pinned = await runCli([...args, '--pin', 'weight=/job:canshu/task:9']);
    expect(pinned.stderr).toMatch(/INVALID_ARGUMENT: .*weight/);
    expect(pinned.code).toBe(1);
  });

  it('traces one step of a GraphDef and writes both formats', async () => {
    const [chrome, pb] = [join(folder, 'step.json'), join(folder, 'step.pb')];
    const files = ['--chrome', chrome, '--pb', pb];
    const { stdout, code } = await runCli(['trace', fixture('scale.pbtxt'), '--fetch', 'y:0', '--feed', 'x=[1]', ...files]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/y \(Mul\)/);
    expect(JSON.parse(await readFile(chrome, 'utf8')).traceEvents.length).toBeGreaterThan(2);
    expect((await readFile(pb)).length).toBeGreaterThan(50);
  });

  it('runs a program again on a cluster that keeps its variables, and clears them when told to', async () => {
    const jobs = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'bundled' });
    try {
      const again = ['run', 'ps-workers', '--cluster', JSON.stringify(jobs.addresses)];
      expect((await runCli(again)).code).toBe(0);
      expect((await runCli([...again, '--reset'])).code).toBe(0);
    } finally {
      await jobs.stop();
    }
  });

  it('lists the sample programs', async () => {
    const { stdout } = await runCli(['run', '--list', '--json']);
    expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).toContain('ps-workers');
  });

  it.each([
    [['run', 'no-such-program'], 1, /NOT_FOUND: No sample program 'no-such-program'/],
    [['run', fixture('broken.ts')], 1, /INVALID_ARGUMENT: .*broken\.ts:1:/],
    [['run', fixture('scale.pbtxt')], 1, /INVALID_ARGUMENT: say what to run with --fetch or --node/],
    [['run', fixture('scale.pbtxt'), '--fetch', 'nope:0'], 1, /NOT_FOUND: .*nope:0/],
    [['run', fixture('scale.pbtxt'), '--fetch', 'y:0', '--steps', 'x'], 1, /INVALID_ARGUMENT: --steps: 'x' is no whole number/],
    [['run', 'ps-workers', '--pin', 'w'], 1, /INVALID_ARGUMENT: --pin: 'w' is not of the form/],
    [
      ['run', 'ps-workers', '--cluster', '{"canshu":["127.0.0.1:1"],"gongzuo":["127.0.0.1:2"]}', '--no-record'],
      1,
      /: 'ps-workers' wants ps×1 worker×2, but the cluster has no job ps; its jobs are canshu and gongzuo\. Choose another cluster/,
    ],
    [['trace', 'missing.pb'], 1, /NOT_FOUND: .*missing\.pb cannot be read/],
    [['devices'], 2, /required option '--target/],
    [['frobnicate'], 2, /unknown command/],
    [['task', '--job', 'x'], 2, /--cluster is missing/],
  ])('%j fails with exit code %i and one line', async (args, code, message) => {
    const result = await runCli(args);
    expect(result.stderr).toMatch(message);
    expect(result.stderr).not.toMatch(/^ {4}at /m);
    expect(result.code).toBe(code);
  });

  it('names a missing task with its address and the reason within 5 s, and gives up when told to', async () => {
    const [port] = await freePorts(1);
    const jobs = JSON.stringify({ ...cluster.addresses, worker: { 0: `127.0.0.1:${port}` } });
    const started = performance.now();
    const { code, stderr } = await runCli(['devices', '--target', `grpc://127.0.0.1:${port}`, '--cluster', jobs, '--timeout', '4']);
    expect(performance.now() - started).toBeLessThan(8000);
    expect(stderr).toMatch(new RegExp(`waiting for /job:worker/replica:0/task:0 at 127\\.0\\.0\\.1:${port} .*refused`, 'i'));
    expect(stderr).toContain('DEADLINE_EXCEEDED');
    expect(code).toBe(1);
  });

  it('Ctrl-C ends an endless program and its tasks', async () => {
    let tasks: string[] = [];
    const { code, stderr } = await runCli(['run', fixture('endless.js')], {
      onStart: ({ kill, stderr }) => {
        const timer = setInterval(() => {
          if (!stderr().includes('looping')) return;
          clearInterval(timer);
          tasks = [...stderr().matchAll(/listens at grpc:\/\/(\S+)/g)].map((match) => match[1] ?? '');
          setTimeout(() => kill('SIGINT'), 200);
        }, 20);
      },
    });
    expect(stderr).toContain('CANCELLED');
    expect(code).toBe(1);
    expect(tasks).toHaveLength(1);
    const after = await runCli(['devices', '--target', `grpc://${tasks[0]}`, '--timeout', '1']);
    expect(after.code).toBe(1);
  });
});
