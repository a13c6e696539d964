import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startCluster } from '../../support/cluster.ts';
import { freePorts } from '../../support/task-ports.ts';
import { launchTask, startTask } from '../../support/task-process.ts';

/** Runs a task that cannot start, to its end. */
async function failedStart(cluster: Record<string, Record<number, string>>, job: string, task: number, flags: readonly string[] = []) {
  const child = launchTask({ cluster, job, task, engine: 'bundled', flags });
  const code = await child.ended;
  return { code, lines: child.stderr().trimEnd().split('\n') };
}

describe('a wrong definition of the server', () => {
  it.each([
    {
      cluster: { l: { 0: 'localhost' } },
      job: 'l',
      task: 0,
      text: 'INVALID_ARGUMENT: Could not parse port for local server from "localhost"',
    },
    { cluster: { l: { 0: 'localhost:abc' } }, job: 'l', task: 0, text: 'Could not parse port for local server from "localhost:abc"' },
    {
      cluster: { l: { 0: 'grpc://h:1' } },
      job: 'l',
      task: 0,
      text: 'INVALID_ARGUMENT: Could not interpret "grpc://h:1" as a host-port pair',
    },
    { cluster: { l: { 0: 'localhost:0', 1: 'grpc://h:1' } }, job: 'l', task: 0, text: 'as a host-port pair' },
    { cluster: { l: { 0: 'localhost:1' } }, job: 'm', task: 0, text: 'INTERNAL: Job "m" was not defined in cluster' },
    { cluster: { l: { 0: 'localhost:1' } }, job: 'l', task: 5, text: 'INTERNAL: Task 5 was not defined in job "l"' },
    { cluster: { l: { 0: 'localhost:99999' } }, job: 'l', task: 0, text: '65535' },
  ])('$cluster as /job:$job/task:$task ends with one line and code 1', async ({ cluster, job, task, text }) => {
    const { code, lines } = await failedStart(cluster, job, task);
    expect(lines).toEqual([expect.stringContaining(text)]);
    expect(code).toBe(1);
  });

  it('is told from a wrong command line, which ends with code 2', async () => {
    const { code, lines } = await failedStart({ l: { 0: 'localhost:0' } }, 'l', 0, ['--placement', 'nowhere']);
    expect(lines).toEqual([expect.stringContaining('--placement: "nowhere"')]);
    expect(code).toBe(2);
  });
});

it('a port that is taken is named in one line', async () => {
  const [port = 0] = await freePorts(1);
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(port, '127.0.0.1', resolve));
  try {
    const { code, lines } = await failedStart({ l: { 0: `127.0.0.1:${port}` } }, 'l', 0);
    expect(lines).toEqual([expect.stringMatching(new RegExp(`UNKNOWN: Could not start gRPC server: .*${port} is already in use`))]);
    expect(code).toBe(1);
  } finally {
    await new Promise((resolve) => holder.close(resolve));
  }
});

it('port 0 is one that is free, and the ready line names it', async () => {
  const task = await startTask({ cluster: { l: { 0: '127.0.0.1:0' } }, job: 'l', task: 0, engine: 'bundled' });
  expect(task.target).toMatch(/^grpc:\/\/127\.0\.0\.1:[1-9]\d*$/);
  expect(await task.stop()).toBe(0);
});

it('TF_CONFIG says all that flags do not', async () => {
  const TF_CONFIG = JSON.stringify({ cluster: { l: ['127.0.0.1:0'] }, task: { type: 'l', index: 0 } });
  const task = await startTask({ cluster: { l: { 0: '127.0.0.1:0' } }, job: 'l', task: 0, engine: 'bundled', env: { TF_CONFIG } });
  expect(await task.stop()).toBe(0);
});

it('start and stop can alternate on one port without a pause', async () => {
  const cluster = await startCluster({ jobs: { l: 1 }, engine: 'bundled' });
  for (let round = 0; round < 5; round++) {
    expect(await cluster.process('l', 0).stop()).toBe(0);
    await cluster.start('l', 0);
  }
  await cluster.stop();
});
