import { afterAll, beforeAll, expect, it } from 'vitest';
import { bytesOf, makeTensor } from '#proto/wire/tensor.ts';
import { Graph, Session, toNumber } from '../../main/client/index.ts';
import { type Cluster, startCluster } from '../support/cluster.ts';
import type { TaskProcess } from '../support/task-process.ts';
import { residentMb } from './support/task-load.ts';

const MB = 1024 * 1024;
const PASSES = 3;
/** In a pass, each tensor goes in as a feed, across to the ps, across to the other worker and out as a fetch. */
const ROUNDS = 8;
const SIZE_MB = 32;
/** One that is not fetched. */
const LARGE_MB = 128;
/** What the first pass takes at most is what a pass takes, garbage included: a later one may take so much of that. */
const GROWTH = 1.2;

let cluster: Cluster;
let tasks: readonly TaskProcess[];
beforeAll(async () => {
  cluster = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'bundled' });
  tasks = [cluster.process('ps', 0), cluster.process('worker', 0), cluster.process('worker', 1)];
});
afterAll(() => cluster?.stop());

/** Feeds a vector to worker 0, has it negated on the ps and on worker 1, and fetches it. */
function around(g: Graph) {
  const x = g.device('/job:worker/task:0', () => g.placeholder('float', [-1]));
  const there = g.device('/job:ps/task:0', () => g.neg(x));
  const back = g.device('/job:worker/task:1', () => g.neg(there));
  return { x, back, first: g.reshape(g.slice(back, [0], [1]), []) };
}

function vector(mb: number, value: number) {
  const count = (mb * MB) / 4;
  return makeTensor('float', [count], new Float32Array(count).fill(value));
}

/** The most that each task occupies while something goes on. */
async function peaks(during: () => Promise<unknown>): Promise<number[]> {
  const most = tasks.map(() => 0);
  const look = setInterval(() => {
    for (const [i, { pid }] of tasks.entries()) most[i] = Math.max(most[i] ?? 0, residentMb(pid));
  }, 50);
  await during();
  clearInterval(look);
  return most;
}

it('gigabytes go through three tasks unchanged, and take no more memory in the end than in the beginning', async () => {
  const graph = new Graph();
  const nodes = around(graph);
  const session = new Session(cluster.target('worker', 0), { graph });
  const pass = async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const fed = vector(SIZE_MB, round + 0.5);
      const fetched = await session.run(nodes.back, { feeds: [[nodes.x, fed]] });
      expect(Buffer.compare(bytesOf(fetched), bytesOf(fed))).toBe(0);
    }
    expect(toNumber(await session.run(nodes.first, { feeds: [[nodes.x, vector(LARGE_MB, 7)]] }))).toBe(7);
  };
  const begin = performance.now();
  const most: number[][] = [];
  for (let count = 0; count < PASSES; count++) most.push(await peaks(pass));
  const moved = PASSES * (ROUNDS * SIZE_MB * 4 + LARGE_MB * 3);
  const rate = moved / ((performance.now() - begin) / 1000);
  const text = tasks.map((_, i) => most.map((each) => each[i]?.toFixed()).join(' → ')).join(', ');
  console.log(`${moved} MB moved at ${rate.toFixed()} MB/s; peaks in MB: ${text}`);
  for (const [i, mb] of (most.at(-1) ?? []).entries()) expect(mb, text).toBeLessThan(GROWTH * (most[0]?.[i] ?? 0));
  await session.close();
});

it('a variable that is overwritten again and again keeps one value', async () => {
  const graph = new Graph();
  const [x, big] = graph.device('/job:ps/task:0', () => {
    const placeholder = graph.placeholder('float', []);
    return [placeholder, graph.variable('big', graph.fill([(SIZE_MB * MB) / 4], placeholder))] as const;
  });
  const session = new Session(cluster.target('worker', 0), { graph });
  const pid = tasks[0]?.pid ?? 0;
  await session.run(big.initializer, { feeds: [[x, 0]] });
  const sizes: number[] = [];
  for (let round = 1; round <= 60; round++) {
    await session.run(big.initializer, { feeds: [[x, round]] });
    sizes.push(residentMb(pid));
  }
  const mean = toNumber(await session.run(graph.reduceMax(big)));
  console.log(`a variable of ${SIZE_MB} MB, overwritten 60 times: ${Math.min(...sizes).toFixed()} to ${Math.max(...sizes).toFixed()} MB`);
  expect(mean).toBe(60);
  expect(Math.max(...sizes)).toBeLessThan((sizes[0] ?? 0) + 20 * SIZE_MB);
  await session.close();
});
