/**
 * Synchronous and asynchronous updates, side by side, with one slow worker (the straggler) among three.
 *
 * Synchronous: all workers compute a gradient from the same parameter and one update applies the mean, so everybody waits for
 * the slowest. Asynchronous: each worker applies its gradient when it is ready. Nobody waits, but meanwhile others have changed
 * the parameter, and the gradient is stale.
 *
 * Teaches: what each form costs. Staleness counts the updates between reading the parameter and applying the gradient.
 * Look at: the staleness of each worker, and how many updates each form makes in the same time. The straggler's target (1.2)
 * counts for a third synchronously; asynchronously it counts for less, as its updates are fewer.
 * Right: two gradients taken one after the other lead from 0 to 0.96; taken at once and applied one after the other, the second
 * is stale and overshoots to 1.6. Synchronous staleness is 0 and the parameter comes to the mean of the targets, 1.0;
 * asynchronous there are more updates, and the straggler is the most stale.
 */
import { defineProgram, Graph, ONLY_CLIENT, type Output, type ProgramContext, toNumber, type Variable } from '../client/index.ts';
import { differences, numberIn, unmet } from './check.ts';

const TARGETS = [0.9, 0.9, 1.2] as const;
/** How long each worker works on a gradient, in milliseconds. */
const WORK = [20, 20, 120] as const;
const ROUNDS = 15;

/** The parameter is on the ps. Worker k keeps its gradient of (parameter - target)²/2 until it is applied. */
function buildGraph(targets: readonly number[], rate: number) {
  const g = new Graph();
  const [parameter, version] = g.device('/job:ps/task:0', () => [g.variable('parameter', 0), g.variable('version', 0)]);
  const update = (gradient: Output | Variable, after: readonly Output[]) =>
    g.device('/job:ps/task:0', () =>
      g.controlDependencies(after, () => g.group([parameter.assignSub(g.mul(gradient, rate)), version.assignAdd(1)])),
    );
  const workers = targets.map((target, k) =>
    g.device(`/job:worker/task:${k}`, () => {
      const [gradient, seen] = [g.variable(`gradient_${k}`, 0), g.variable(`seen_${k}`, 0)];
      const compute = g.group([gradient.assign(g.sub(parameter, target)), seen.assign(version)]);
      const staleness = g.sub(version, seen);
      return { gradient, compute, staleness, apply: update(gradient, [staleness]) };
    }),
  );
  const mean = g.device('/job:ps/task:0', () => g.div(g.addN(workers.map(({ gradient }) => gradient)), targets.length));
  const stalenesses = workers.map(({ staleness }) => staleness);
  return { g, parameter, version, workers, stalenesses, applyMean: update(mean, stalenesses), initialize: g.globalVariablesInitializer() };
}

/** Two workers, one after the other and at once. */
async function oneStaleGradient(context: ProgramContext) {
  const { g, parameter, workers, initialize } = buildGraph([1, 1], 0.8);
  const session = context.session(g, 'ps', 0);
  await session.run(initialize);
  for (const { compute, apply } of workers) {
    await session.run(compute);
    await session.run(apply);
  }
  const fresh = toNumber(await session.run(parameter));
  await session.run(initialize);
  await session.run(workers.map(({ compute }) => compute));
  for (const { apply } of workers) await session.run(apply);
  const stale = toNumber(await session.run(parameter));
  context.log(`two updates towards 1: ${fresh} when the second gradient is fresh, ${stale} when it is stale`);
  return { fresh, stale };
}

async function race(context: ProgramContext) {
  const { g, parameter, version, workers, stalenesses, applyMean, initialize } = buildGraph(TARGETS, 0.2);
  const session = context.session(g, 'ps', 0);
  const readParameter = async () => toNumber(await session.run(parameter));

  await session.run(initialize);
  let syncStaleness = 0;
  const start = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    await session.run(workers.map(({ compute }) => compute));
    await context.sleep(Math.max(...WORK));
    const [seen] = await session.run([stalenesses, applyMean]);
    syncStaleness = Math.max(syncStaleness, ...seen.map(toNumber));
    context.sample('synchronous', round, await readParameter());
  }
  const time = performance.now() - start;
  const [syncParameter, syncUpdates] = [await readParameter(), toNumber(await session.run(version))];
  context.log(`synchronous: ${syncUpdates} updates in ${time.toFixed()} ms, staleness ${syncStaleness}, parameter ${syncParameter}`);

  await session.run(initialize);
  const end = performance.now() + time;
  const train = async ({ compute, staleness, apply }: (typeof workers)[number], k: number) => {
    let [sum, updates] = [0, 0];
    for (; performance.now() < end; updates++) {
      await session.run(compute);
      await context.sleep(WORK[k] ?? 0);
      const [seen] = await session.run([staleness, apply]);
      context.sample(`staleness of worker ${k}`, updates, toNumber(seen));
      sum += toNumber(seen);
    }
    return sum / updates;
  };
  const [first = 0, second = 0, stragglerStaleness = 0] = await Promise.all(workers.map(train));
  const [asyncParameter, asyncUpdates] = [await readParameter(), toNumber(await session.run(version))];
  const means = [first, second, stragglerStaleness].map((mean) => mean.toFixed(1)).join(', ');
  context.log(`asynchronous: ${asyncUpdates} updates in the same time, mean staleness by worker ${means}, parameter ${asyncParameter}`);
  const fastStaleness = Math.max(first, second);
  return { syncParameter, syncUpdates, syncStaleness, asyncParameter, asyncUpdates, fastStaleness, stragglerStaleness };
}

export default defineProgram({
  name: 'sync-and-async-updates',
  title: 'Waiting for the straggler, or stale gradients',
  cluster: { ps: 1, worker: 3 },

  run: async (context) => ({ ...(await oneStaleGradient(context)), ...(await race(context)) }),

  check: (outcomes) => [
    ...differences(outcomes, { [ONLY_CLIENT]: { fresh: 0.96, stale: 1.6, syncStaleness: 0 } }, 1e-5),
    ...unmet({
      'synchronous, the parameter comes to 1': Math.abs(numberIn(outcomes, 'syncParameter') - 1) < 0.05,
      'asynchronous, the parameter comes near the targets': Math.abs(numberIn(outcomes, 'asyncParameter') - 1) < 0.25,
      'asynchronous, there are more updates': numberIn(outcomes, 'asyncUpdates') > numberIn(outcomes, 'syncUpdates'),
      'the straggler is the most stale': numberIn(outcomes, 'stragglerStaleness') > numberIn(outcomes, 'fastStaleness'),
    }),
  ],
});
