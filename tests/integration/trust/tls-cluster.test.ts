import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { Code } from '#proto/wire/status.ts';
import { Graph, Session, TraceLevel, taskStats } from '../../../main/client/index.ts';
import { canHaveOtherMachine, makeOtherMachine, type OtherMachine, withOtherMachine } from '../../support/other-machine.ts';
import { freePorts } from '../../support/task-ports.ts';
import { startTlsCluster, type TlsTask } from '../../support/tls-cluster.ts';
import { makeTlsLab, type TlsLab } from '../../support/tls-lab.ts';

describe.skipIf(!canHaveOtherMachine)(withOtherMachine('a cluster of the lab'), () => {
  let machine: OtherMachine;
  let lab: TlsLab;
  let other: TlsLab;
  let ps: TlsTask;
  let worker: TlsTask;

  beforeAll(async () => {
    machine = makeOtherMachine();
    [lab, other] = await Promise.all([makeTlsLab(), makeTlsLab()]);
    const [first = 0, second = 0] = await freePorts(2);
    ({ ps, worker } = await startTlsCluster(machine, lab, [first, second]));
  });
  afterAll(async () => {
    await Promise.all([ps, worker].map((task) => task.stop()));
    machine.dispose();
    await Promise.all([lab.dispose(), other.dispose()]);
  });

  /** A variable on the ps, an increment on the worker, and a tensor that takes the direct link. */
  async function work(target: string, tls: TlsFiles) {
    const graph = new Graph();
    const session = new Session(target, { graph, operationTimeoutMs: 10_000, tls });
    try {
      const total = graph.device('/job:worker/task:0', () => graph.reduceSum(graph.device('/job:ps/task:0', () => graph.ones([2 ** 18]))));
      return await session.runWithMetadata(total, { options: { traceLevel: TraceLevel.FULL_TRACE } });
    } finally {
      await session.close();
    }
  }

  it('works over TLS from master to worker and from task to task, by the direct link', async () => {
    const { value, metadata } = await work(worker.target, lab.user);
    expect(value.data[0]).toBe(2 ** 18);
    expect(metadata.stepStats?.devStats.map(({ device }) => device).sort()).toEqual(
      expect.arrayContaining([expect.stringContaining('/job:ps'), expect.stringContaining('/job:worker')]),
    );
    for (const task of [ps, worker]) expect(task.stderr()).not.toMatch(/refused|closed/);
  });

  it('lets nobody in without a certificate', async () => {
    await expect(taskStats(worker.target)).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    await expect
      .poll(() => worker.stderr())
      .toContain(`refused a connection from ${machine.ownAddress}: only this machine may connect in plain text`);
  });

  it('lets those in whose environment has their certificate', async () => {
    const { cert, key, ca } = lab.user;
    vi.stubEnv('LANFLOW_TLS_CERT', cert);
    vi.stubEnv('LANFLOW_TLS_KEY', key);
    vi.stubEnv('LANFLOW_TLS_CA', ca);
    try {
      expect(await taskStats(worker.target)).toMatchObject({ runningSteps: 0 });
      vi.stubEnv('LANFLOW_TLS_PLAINTEXT', machine.address);
      await expect(taskStats(worker.target)).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('lets nobody in from another lab', async () => {
    await expect(taskStats(worker.target, { tls: other.user })).rejects.toMatchObject({
      code: Code.UNAVAILABLE,
      message: expect.stringContaining('its certificate is of another lab'),
    });
  });
});
