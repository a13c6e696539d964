import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cancelled } from '#proto/wire/status.ts';
import { Graph, Session } from '../../../main/client/index.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';

/** Elements a side of an integer product that takes about two seconds. */
const SIDE = 1024;

describe('a task in the middle of a long kernel', () => {
  let cluster: Cluster;
  let worker: Client;

  beforeAll(async () => {
    cluster = await startCluster({ jobs: { worker: 1 }, engine: 'bundled' });
    worker = new Client(cluster.target('worker', 0).replace('grpc://', ''), credentials.createInsecure());
  });
  afterAll(async () => {
    worker.close();
    await cluster.stop();
  });

  function getStatus(): Promise<number> {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      worker.makeUnaryRequest(
        '/tensorflow.WorkerService/GetStatus',
        (request: Buffer) => request,
        (response: Buffer) => response,
        Buffer.alloc(0),
        (error) => (error ? reject(error) : resolve(performance.now() - start)),
      );
    });
  }

  function longStep() {
    const graph = new Graph();
    const ones = graph.fill([SIDE, SIDE], graph.constant(1, { dtype: 'int32' }));
    return { session: new Session(cluster.target('worker', 0), { graph }), product: graph.reduceSum(graph.matmul(ones, ones)) };
  }

  it('answers GetStatus all the time', async () => {
    const { session, product } = longStep();
    await getStatus();
    let isRunning = true;
    const step = session.run(product).finally(() => {
      isRunning = false;
    });
    const times: number[] = [];
    while (isRunning) times.push(await getStatus());
    expect((await step).data).toEqual(Int32Array.of(SIDE ** 3));
    times.sort((a, b) => a - b);
    expect(times.length).toBeGreaterThan(10);
    expect(times[Math.floor(times.length * 0.9)]).toBeLessThan(100);
    await session.close();
  });

  it('ends a cancelled step at once, and serves the next', async () => {
    const { session, product } = longStep();
    const stop = new AbortController();
    const step = session.run(product, { signal: stop.signal });
    setTimeout(() => stop.abort(cancelled('Enough')), 300);
    const start = performance.now();
    await expect(step).rejects.toMatchObject({ codeName: 'CANCELLED' });
    expect(performance.now() - start).toBeLessThan(1300);
    const graph = new Graph();
    const next = new Session(cluster.target('worker', 0), { graph });
    expect((await next.run(graph.constant(5))).data).toEqual(Float32Array.of(5));
    await Promise.all([session.close(), next.close()]);
  });
});
