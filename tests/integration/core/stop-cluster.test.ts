import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ClusterInfo } from '#proto/ipc/contract.ts';
import { Graph, Session, StatusError } from '../../../main/client/index.ts';
import { CoreClient } from './core-client.ts';

let folder: string;
let core: CoreClient;
let cluster: ClusterInfo;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
  core = new CoreClient(folder);
  const machine = (await core.call('machines.list', null))[0]?.id ?? '';
  const task = (index: number) => ({ index, machine, engine: 'bundled' as const, port: 0, virtualGpus: 0 });
  const jobs = [
    { name: 'ps', tasks: [task(0)] },
    { name: 'worker', tasks: [task(0), task(1)] },
  ];
  const { id } = await core.call('clusters.save', { title: 'Training that is over', jobs });
  cluster = await core.call('clusters.start', { cluster: id });
});
afterEach(async () => {
  await core.leave();
  await rm(folder, { recursive: true });
});

it('U13: stops all tasks within 5 s, and a client that waits in a dequeue learns of it', async () => {
  const graph = new Graph();
  const item = graph.device('/job:ps/task:0', () => graph.fifoQueue(1, 'int32', { shapes: [[]] }).dequeue());
  const target = cluster.jobs[1]?.tasks[0]?.address;
  const session = new Session(`grpc://${target}`, { graph });
  const waiting = session.run([...item]).then(
    () => 'an element',
    (error: unknown) => (error instanceof StatusError ? error.codeName : String(error)),
  );
  // Until the step waits on the ps.
  await new Promise((resolve) => setTimeout(resolve, 500));

  const pressed = Date.now();
  const stopped = await core.call('clusters.stop', { cluster: cluster.id });
  expect(Date.now() - pressed).toBeLessThan(5000);
  expect(stopped.jobs.flatMap(({ tasks }) => tasks).map(({ name, state, reason }) => [name, state, reason])).toEqual(
    ['ps/replica:0/task:0', 'worker/replica:0/task:0', 'worker/replica:0/task:1'].map((name) => [`/job:${name}`, 'stopped', '']),
  );
  expect(await waiting).toMatch(/^(CANCELLED|UNAVAILABLE|ABORTED)$/);
  await session.close().catch((error: unknown) => expect(error).toBeInstanceOf(StatusError));
});
