import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskStats } from '../../../main/client/index.ts';
import { runCli } from '../../support/cli.ts';
import { canHaveOtherMachine, makeOtherMachine, type OtherMachine, withOtherMachine } from '../../support/other-machine.ts';
import { python, requirePython, withTensorFlow } from '../../support/python.ts';
import { startChild, type TaskChild } from '../../support/task-child.ts';
import { freePorts } from '../../support/task-ports.ts';
import { startTlsCluster, startTlsTask, type TlsTask } from '../../support/tls-cluster.ts';
import { makeTlsLab, type TlsLab, taskIdentity, tlsFlags } from '../../support/tls-lab.ts';

const cli = fileURLToPath(new URL('../../../dist/cli/index.js', import.meta.url));

const PROGRAM = `
import sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
with tf.device('/job:ps/task:0'):
    v = tf.Variable(40.0)
with tf.device('/job:worker/task:0'):
    add = v.assign_add(2.0)
    big = tf.reduce_sum(tf.ones([1000, 1000]))
with tf.Session(sys.argv[1]) as session:
    session.run(tf.global_variables_initializer())
    print(session.run([add, big]))
`;

describe.skipIf(!canHaveOtherMachine)(withOtherMachine('lanflow gateway'), () => {
  let machine: OtherMachine;
  let lab: TlsLab;
  let tasks: { readonly ps: TlsTask; readonly worker: TlsTask; readonly cluster: Readonly<Record<string, readonly string[]>> };
  let gateway: TaskChild;
  const targets: string[] = [];

  beforeAll(async () => {
    machine = makeOtherMachine();
    lab = await makeTlsLab();
    const [first = 0, second = 0] = await freePorts(2);
    tasks = await startTlsCluster(machine, lab, [first, second]);
    const to = ['--to', tasks.ps.address, '--to', tasks.worker.address];
    gateway = startChild({ program: process.execPath, args: [cli, 'gateway', ...to, ...tlsFlags(lab.user)] });
    for (const { job, address } of [
      { job: 'ps', address: tasks.ps.address },
      { job: 'worker', address: tasks.worker.address },
    ]) {
      const line = await gateway.line((text) => text.includes(address));
      expect(line).toMatch(/^gateway grpc:\/\/127\.0\.0\.1:\d+ → /);
      expect(line).toContain(`→ /job:${job}/replica:0/task:0 ${address}`);
      targets.push(line.split(' ')[1] ?? '');
    }
  });
  afterAll(async () => {
    gateway.kill('SIGKILL');
    await Promise.all([tasks.ps, tasks.worker].map((task) => task.stop()));
    machine.dispose();
    await lab.dispose();
  });

  it.skipIf(python === undefined)(withTensorFlow('lets an unmodified Python client work on tasks of the lab'), async () => {
    const child = spawn(requirePython(), ['-c', PROGRAM, targets[1] ?? ''], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(output.match(/[\d.]+/g)?.map(Number)).toEqual(expect.arrayContaining([42, 1_000_000]));
  });

  it('survives the restart of a task', async () => {
    expect(await taskStats(targets[0] ?? '')).toMatchObject({ sessions: expect.any(Number) });
    await tasks.ps.stop();
    await expect(taskStats(targets[0] ?? '')).rejects.toMatchObject({ message: expect.stringContaining('127.0.0.1') });
    const files = await lab.issue([taskIdentity('ps', 0)]);
    tasks = { ...tasks, ps: await startTlsTask({ machine, cluster: tasks.cluster, job: 'ps', files }) };
    await expect
      .poll(
        () =>
          taskStats(targets[0] ?? '').then(
            ({ uptimeMs }) => uptimeMs,
            () => Number.POSITIVE_INFINITY,
          ),
        { timeout: 10_000 },
      )
      .toBeLessThan(20_000);
    await expect.poll(() => gateway.stderr()).toMatch(new RegExp(`${tasks.ps.address}: .*ECONNREFUSED`));
  });

  it('prints JSON, and opens for tasks that are not there yet', async () => {
    const [port = 0] = await freePorts(1);
    const absent = `${machine.address}:${port}`;
    const result = await new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = startChild({
        program: process.execPath,
        args: [cli, 'gateway', '--json', '--to', absent, '--to', tasks.worker.address, ...tlsFlags(lab.user)],
      });
      let stdout = '';
      void child
        .line((line) => {
          stdout += line;
          return line === ']';
        })
        .then(() => child.kill('SIGINT'));
      void child.ended.then((code) => resolve({ code, stdout, stderr: child.stderr() }));
    });
    expect(JSON.parse(result.stdout)).toEqual([
      { target: expect.stringMatching(/^grpc:/), name: '', address: absent },
      { target: expect.stringMatching(/^grpc:/), name: '/job:worker/replica:0/task:0', address: tasks.worker.address },
    ]);
    expect(result.stderr).toContain(`${absent}: connect ECONNREFUSED`);
    expect(result.code).toBe(0);
  });

  it('needs a certificate of the lab, and says so', async () => {
    const { code, stderr } = await runCli(['gateway', '--to', 'far:1']);
    expect(stderr).toContain('This user belongs to no lab yet: give a certificate of the lab with --tls-cert');
    expect(code).toBe(1);
    const wrong = await runCli(['gateway', '--to', 'far', ...tlsFlags(lab.user)]);
    expect(wrong.stderr).toContain("--to: 'far' is no HOST:PORT");
    const half = await runCli(['gateway', '--to', 'far:1', '--tls-cert', lab.user.cert]);
    expect(half.stderr).toContain('--tls-key and --tls-ca must be given too');
  });

  it('ends at Ctrl-C', async () => {
    gateway.kill('SIGINT');
    expect(await gateway.ended).toBe(0);
  });
});
