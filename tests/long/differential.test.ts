import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { python, requirePython, withTensorFlow } from '../support/python.ts';
import { startChild } from '../support/task-child.ts';
import { withSeed } from './support/random.ts';

const GRAPHS = 400;
const script = fileURLToPath(new URL('./python/differential.py', import.meta.url));

/** What the Python program says of one graph. */
interface Outcome {
  readonly seed: number;
  readonly nodes: number;
  readonly ops: readonly string[];
  /** Of the error that the judge met. */
  readonly code: string | null;
  readonly difference: string | null;
}

describe.skipIf(python === undefined)(withTensorFlow('random graphs'), () => {
  let judge: Cluster;
  let candidate: Cluster;
  beforeAll(async () => {
    [judge, candidate] = await Promise.all([
      startCluster({ jobs: { worker: 3 }, engine: 'python' }),
      startCluster({ jobs: { worker: 3 }, engine: 'bundled' }),
    ]);
  });
  afterAll(() => Promise.all([judge?.stop(), candidate?.stop()]));

  it('give the same values and codes on our tasks as on genuine ones', () =>
    withSeed(async ({ seed }) => {
      const outcomes = await compare(seed % 2 ** 31);
      const ops = new Set(outcomes.flatMap((outcome) => outcome.ops));
      const nodes = outcomes.reduce((sum, outcome) => sum + outcome.nodes, 0);
      const failed = outcomes.filter(({ code }) => code !== null).length;
      console.log(`${GRAPHS} random graphs: ${nodes} nodes of ${ops.size} ops; ${failed} graphs fail, as they should`);
      const differences = outcomes.filter(({ difference }) => difference !== null);
      expect(differences.map(({ seed: graph, difference }) => `graph ${graph}: ${difference}`)).toEqual([]);
      expect(ops.size).toBeGreaterThan(60);
    }));

  async function compare(first: number): Promise<Outcome[]> {
    const targets = [judge.target('worker', 0), candidate.target('worker', 0)];
    const args = [script, ...targets, String(first), String(GRAPHS)];
    const child = startChild({ program: requirePython(), args, env: { PYTHONDONTWRITEBYTECODE: '1' } });
    const outcomes: Outcome[] = [];
    while (outcomes.length < GRAPHS) outcomes.push(JSON.parse(await child.line((line) => line.startsWith('{"seed"'))));
    await child.ended;
    return outcomes;
  }
});
