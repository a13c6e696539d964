import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServerDefSchema } from '#proto/generated/tensorflow/tensorflow_server_pb.ts';
import { Code } from '#proto/wire/status.ts';
import { Graph, Session, taskStats, toNumber } from '../../../main/client/index.ts';
import { removeOpening, requestOpening, writeOpening } from '../../../task-server/service/opening-file.ts';
import { canHaveOtherMachine, makeOtherMachine, type OtherMachine, withOtherMachine } from '../../support/other-machine.ts';
import { python, requirePython, withTensorFlow } from '../../support/python.ts';
import { freePorts } from '../../support/task-ports.ts';
import { startTask } from '../../support/task-process.ts';
import { startTlsTask } from '../../support/tls-cluster.ts';
import { makeTlsLab, type TlsLab, taskIdentity, tlsFlags } from '../../support/tls-lab.ts';

describe.skipIf(!canHaveOtherMachine)(withOtherMachine('in plain text'), () => {
  let machine: OtherMachine;
  let lab: TlsLab;
  const closers: (() => unknown)[] = [];

  beforeAll(async () => {
    machine = makeOtherMachine();
    lab = await makeTlsLab();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(async () => {
    machine.dispose();
    await lab.dispose();
  });

  it('a network may connect as long as it is open, and its connections end with the opening', async () => {
    const [port = 0] = await freePorts(1);
    const cluster = { ps: [`${machine.address}:${port}`] };
    const flags = ['--allow', `${machine.ownAddress}/32=4`];
    const task = await startTlsTask({ machine, cluster, job: 'ps', files: await lab.issue([taskIdentity('ps', 0)]), flags });
    closers.push(() => task.stop());
    const begun = Date.now();
    const graph = new Graph();
    const session = new Session(task.target, { graph });
    closers.push(() => session.close({ timeoutMs: 1 }).catch(() => undefined));
    expect(toNumber(await session.run(graph.add(1, 2)))).toBe(3);
    // It waits in the task until the connection is cut.
    const queue = graph.fifoQueue(1, ['float']);
    await expect(session.run(queue.dequeue())).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    expect(Date.now() - begun).toBeLessThan(8000);
    await expect(taskStats(task.target)).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    expect(await taskStats(task.target, { tls: lab.user })).toMatchObject({ runningSteps: 0 });
    await expect.poll(() => task.stderr()).toMatch(/is open, in plain text, to \S+\/32 for 4 s\n/);
    await expect.poll(() => task.stderr()).toMatch(/is no longer open to \S+\/32: its 4 s are over; connections closed: 1\n/);
  });

  it('a task is opened by its file while it runs, and the connections of that network end when it is taken away', async () => {
    const [port = 0] = await freePorts(1);
    const cluster = { ps: [`${machine.address}:${port}`] };
    const files = await lab.issue([taskIdentity('ps', 0)]);
    const path = join(dirname(files.cert), 'opening.json');
    const task = await startTlsTask({ machine, cluster, job: 'ps', files, flags: ['--openings', path] });
    closers.push(() => task.stop());
    await expect(taskStats(task.target)).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    await writeOpening(path, requestOpening(`${machine.ownAddress}/32`, 60));
    await expect.poll(() => taskStats(task.target).catch(() => undefined), { timeout: 8000 }).toMatchObject({ runningSteps: 0 });
    const graph = new Graph();
    const session = new Session(task.target, { graph });
    closers.push(() => session.close({ timeoutMs: 1 }).catch(() => undefined));
    const step = expect(session.run(graph.fifoQueue(1, ['float']).dequeue())).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    await removeOpening(path);
    await step;
    await expect.poll(() => task.stderr()).toMatch(/is no longer open to \S+\/32: it was closed; connections closed: [1-9]\n/);
  });

  it.skipIf(python === undefined)(
    withTensorFlow('a genuine TensorFlow task and one of the lab work together where that is opened'),
    async () => {
      const [psPort = 0, workerPort = 0] = await freePorts(2);
      const cluster = { ps: { 0: `${machine.address}:${psPort}` }, worker: { 0: `${machine.ownAddress}:${workerPort}` } };
      const job = Object.entries(cluster).map(([name, tasks]) => ({ name, tasks }));
      const serverDef = toBinary(
        ServerDefSchema,
        create(ServerDefSchema, { cluster: { job }, jobName: 'ps', taskIndex: 0, protocol: 'grpc' }),
      );
      const serve = fileURLToPath(new URL('../../../task-server/tensorflow/serve.py', import.meta.url));
      const genuine = machine.start(requirePython(), [serve, Buffer.from(serverDef).toString('base64')]);
      closers.push(async () => {
        genuine.kill('SIGKILL');
        await genuine.ended;
      });
      const files = await lab.issue([taskIdentity('worker', 0)]);
      const flags = [...tlsFlags(files), '--allow', machine.address, '--plaintext', `${machine.address}:${psPort}`];
      const [own] = await Promise.all([
        startTask({ cluster, job: 'worker', task: 0, engine: 'bundled', flags }),
        genuine.line((line) => line.startsWith('{')),
      ]);
      closers.push(() => own.stop());
      const graph = new Graph();
      const there = graph.device('/job:ps/task:0', () => graph.variable('v', 20));
      const here = graph.device('/job:worker/task:0', () => graph.add(there, 1));
      const back = graph.device('/job:ps/task:0', () => graph.mul(here, 2));
      const session = new Session(`grpc://127.0.0.1:${workerPort}`, { graph });
      closers.push(() => session.close());
      await session.run(graph.globalVariablesInitializer());
      expect(toNumber(await session.run(back))).toBe(42);
    },
  );
});
