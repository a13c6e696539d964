import { Client, credentials } from '@grpc/grpc-js';
import { describe, expect, it } from 'vitest';
import { Graph, Session } from '../../main/client/index.ts';
import { startCluster } from '../support/cluster.ts';

const MB = 1024 * 1024;
const SIZE_MB = 100;
const TRANSFERS = 20;
/** While a task sends or receives without a pause, nine of ten heartbeats are answered within this many milliseconds. */
const ANSWER_MS = 100;

async function getStatus(client: Client): Promise<number> {
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    const same = (bytes: Buffer): Buffer => bytes;
    client.makeUnaryRequest('/tensorflow.WorkerService/GetStatus', same, same, Buffer.alloc(0), (error) =>
      error ? reject(error) : resolve(),
    );
  });
  return performance.now() - start;
}

describe.each([
  { way: 'the link', env: {} },
  { way: 'gRPC', env: { LANFLOW_LINK: 'off' } },
])('tasks between which large tensors go over $way', ({ env }) => {
  it(`answer heartbeats meanwhile`, async () => {
    const cluster = await startCluster({ jobs: { ps: 1, worker: 1 }, engine: 'bundled', env });
    const clients = (['ps', 'worker'] as const).map(
      (job) => new Client(cluster.target(job, 0).replace('grpc://', ''), credentials.createInsecure()),
    );
    const graph = new Graph();
    const big = graph.device('/job:ps/task:0', () => graph.variable('big', graph.fill([(SIZE_MB * MB) / 4], 1)));
    const last = graph.device('/job:worker/task:0', () => graph.slice(graph.identity(big), [0], [1]));
    const session = new Session(cluster.target('worker', 0), { graph });
    await session.run(big.initializer);
    let isMoving = true;
    const moving = (async () => {
      for (let i = 0; i < TRANSFERS; i++) await session.run(last);
      isMoving = false;
    })();
    const times: number[][] = await Promise.all(
      clients.map(async (client) => {
        const own: number[] = [];
        while (isMoving) own.push(await getStatus(client));
        return own.sort((a, b) => a - b);
      }),
    );
    await moving;
    await session.close();
    for (const client of clients) client.close();
    await cluster.stop();
    const ninth = times.map((own) => own[Math.floor(own.length * 0.9)] ?? 0);
    console.log(`heartbeats of ps and worker: ${times.map((own) => own.length)}; 90 % within ${ninth.map((ms) => ms.toFixed(1))} ms`);
    for (const ms of ninth) expect(ms).toBeLessThan(ANSWER_MS);
    for (const own of times) expect(own.length).toBeGreaterThan(10);
  });
});
