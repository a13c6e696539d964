/**
 * Centralised synchronisation: the parameters live on a parameter server (ps), which averages the workers' gradients.
 *
 * Teaches: in each step every worker reads the parameters from the ps and sends its gradients back to it; workers never talk
 * to each other. The ps needs only simple code, but everything passes through it: it is the bottleneck as workers are added.
 * Look at: the bytes that each task carries in a traced step. Compare with `peer-synchronisation`.
 * Right: weight goes to 0.1 and bias to 0.3; nothing crosses between workers; the ps carries as much as all workers together.
 */
import { defineProgram, GradientDescentOptimizer, Graph, ONLY_CLIENT, toNumber } from '../client/index.ts';
import { differences, numberIn, unmet } from './check.ts';
import { LINE, linePoints, shardOf } from './data.ts';
import { fullTrace, totalBytes, transfers } from './trace.ts';

const WORKERS = 3;
const STEPS = 400;

export default defineProgram({
  name: 'ps-synchronisation',
  title: 'A parameter server averages the gradients of all workers',
  cluster: { ps: 1, worker: WORKERS },

  async run(context) {
    const points = linePoints(90);

    const g = new Graph();
    const parameters = g.device('/job:ps/task:0', () => [g.variable('weight', 0), g.variable('bias', 0)] as const);
    const [weight, bias] = parameters;
    const workers = [0, 1, 2].map((index) =>
      g.device(`/job:worker/task:${index}`, () => {
        const { x, y } = shardOf(points, index, WORKERS);
        const loss = g.reduceMean(g.square(g.sub(g.add(g.mul(weight, x), bias), y)));
        return g.gradients(loss, parameters);
      }),
    );
    const train = g.device('/job:ps/task:0', () => {
      const mean = (i: number) => g.div(g.addN(workers.flatMap((gradients) => gradients[i] ?? [])), WORKERS);
      return new GradientDescentOptimizer(0.5).applyGradients(parameters.map((variable, i) => ({ variable, gradient: mean(i) })));
    });

    const session = context.session(g, 'ps', 0);
    await session.run(g.globalVariablesInitializer());
    for (let step = 0; step < STEPS; step++) {
      await session.run(train);
      if (step % 20 === 0) context.sample('weight', step, toNumber(await session.run(weight)));
    }

    const { metadata } = await session.runWithMetadata(train, fullTrace);
    context.trace('train', metadata);
    const crossed = transfers(metadata);
    const isAtPs = ({ from, to }: { from: string; to: string }) => `${from}${to}`.includes('/job:ps/');
    const bytesAtPs = totalBytes(crossed.filter(isAtPs));
    const bytesBetweenWorkers = totalBytes(crossed) - bytesAtPs;
    context.log(`bytes in one step: ${bytesAtPs} to and from the ps, ${bytesBetweenWorkers} between workers`);
    const [w, b] = await session.run([weight, bias]);
    return { weight: toNumber(w), bias: toNumber(b), bytesAtPs, bytesBetweenWorkers };
  },

  check: (outcomes) => [
    ...differences(outcomes, { [ONLY_CLIENT]: { ...LINE, bytesBetweenWorkers: 0 } }, 1e-4),
    ...unmet({ 'parameters and gradients cross': numberIn(outcomes, 'bytesAtPs') > 0 }),
  ],
});
