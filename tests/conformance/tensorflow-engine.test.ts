import { create } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterDefSchema } from '#proto/generated/tensorflow/cluster_pb.ts';
import { Graph, Session, toNested } from '../../main/client/index.ts';
import { startPythonServer } from '../../task-server/tensorflow/python-server.ts';
import { python, requirePython, withTensorFlow } from '../support/python.ts';
import type { TaskChild } from '../support/task-child.ts';
import { freePorts } from '../support/task-ports.ts';
import { launchTask, startTask } from '../support/task-process.ts';

const running: TaskChild[] = [];

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(running.splice(0).map(({ ended }) => ended));
});

async function oneTask() {
  const [port] = await freePorts(1);
  return { cluster: { local: { 0: `127.0.0.1:${port}` } }, job: 'local', task: 0, engine: 'tensorflow' } as const;
}

async function start() {
  const task = await startTask(await oneTask());
  running.push(task);
  return task;
}

async function lastWords(child: TaskChild): Promise<{ code: number | null; lines: string[] }> {
  running.push(child);
  const code = await child.ended;
  return { code, lines: child.stderr().trimEnd().split('\n') };
}

async function hello(target: string): Promise<unknown> {
  const graph = new Graph();
  const text = graph.constant('Hello, Distributed TensorFlow!');
  const session = new Session(target, { graph });
  const value = toNested(await session.run(text));
  await session.close();
  return value;
}

describe.skipIf(python === undefined)(withTensorFlow('a task whose engine is TensorFlow'), () => {
  it('serves clients, and says that everybody can reach it', async () => {
    const task = await start();
    expect(await hello(task.target)).toBe('Hello, Distributed TensorFlow!');
    expect(task.stderr()).toMatch(/genuine TensorFlow server: libtensorflow \d/);
    expect(task.stderr()).toContain('every network interface of this machine, without authentication');
  });

  it('ends with 0 within 5 s of SIGTERM, in the middle of a step', async () => {
    const task = await start();
    const graph = new Graph();
    const [element] = graph.fifoQueue(1, 'float', { shapes: [[]] }).dequeue();
    const session = new Session(task.target, { graph });
    const step = session.run(element ?? graph.constant(0)).catch((error: unknown) => error);
    await session.run(graph.constant(0));
    const begin = performance.now();
    expect(await task.stop()).toBe(0);
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(await step).toMatchObject({ codeName: 'UNAVAILABLE' });
  });

  it('fails with what TensorFlow says about a taken port, in one line', async () => {
    const task = await start();
    const address = task.target.slice('grpc://'.length);
    const { code, lines } = await lastWords(
      launchTask({ cluster: { local: { 0: address } }, job: 'local', task: 0, engine: 'tensorflow' }),
    );
    expect(code).toBe(1);
    expect(lines.at(-1)).toContain('UNKNOWN: Could not start gRPC server');
  });

  it('says what it looked for when there is no TensorFlow', async () => {
    const env = { LANFLOW_PYTHON: '/no/such/python', VIRTUAL_ENV: '', CONDA_PREFIX: '', PATH: '/no/such/folder', HOME: '/no/such/home' };
    const { code, lines } = await lastWords(launchTask({ ...(await oneTask()), env }));
    expect(code).toBe(1);
    expect(lines).toHaveLength(1);
    for (const part of [
      'NOT_FOUND: No TensorFlow found',
      'tfjs-node',
      '/no/such/python (LANFLOW_PYTHON)',
      'python3 (PATH)',
      'pip install',
    ]) {
      expect(lines[0]).toContain(part);
    }
  });

  it('does not pass over a library that was asked for', async () => {
    const { code, lines } = await lastWords(launchTask({ ...(await oneTask()), flags: ['--libtensorflow', '/no/such/library'] }));
    expect(code).toBe(1);
    expect(lines).toEqual([expect.stringContaining('Looked for libtensorflow at /no/such/library')]);
  });

  it('is hosted by Python where there is no library', async () => {
    const { cluster, job, task } = await oneTask();
    const options = { cluster: create(ClusterDefSchema, { job: [{ name: job, tasks: cluster.local }] }), job, task };
    const server = await startPythonServer(requirePython(), options, { variables: process.env, log: () => {} });
    expect(await hello(server.target)).toBe('Hello, Distributed TensorFlow!');
    await server.stop();
    expect(await server.lost).toMatchObject({ codeName: 'UNAVAILABLE' });
  });

  it('hosted by Python too, fails with what TensorFlow says', async () => {
    const cluster = create(ClusterDefSchema, { job: [{ name: 'local', tasks: { 0: '127.0.0.1:0' } }] });
    const starting = startPythonServer(requirePython(), { cluster, job: 'nobody', task: 0 }, { variables: process.env, log: () => {} });
    await expect(starting).rejects.toMatchObject({ codeName: 'INTERNAL', message: 'Job "nobody" was not defined in cluster' });
  });
});
