import { build, type CaseCluster, type Cases, ensure, failure, isBlocked, seconds } from './harness.ts';
import { afterReconnect } from './sessions.ts';

const PS = '/job:ps/replica:0/task:0';

async function killedPs(cluster: CaseCluster): Promise<unknown> {
  const own = await cluster.another({ ps: 1, worker: 2 });
  const { g, onPs, waiting, elsewhere } = build((graph) => {
    const [queue, two] = graph.device('/job:ps/task:0', () => [
      graph.fifoQueue(1, 'float', { shapes: [[]], sharedName: 'r59' }),
      graph.add(graph.constant(1), 1),
    ]);
    const dequeue = graph.device('/job:ps/task:0', () => queue.dequeue()[0] ?? two);
    return graph.device('/job:worker/task:1', () => ({
      onPs: two,
      waiting: graph.add(dequeue, 1),
      elsewhere: graph.mul(graph.constant(2), 2),
    }));
  });
  const session = own.session(g);
  const before = await session.run(elsewhere);
  await session.run(onPs);
  const ended = failure(() => session.run(waiting), PS);
  const blocked = await isBlocked(ended, 1000);
  await own.kill('ps', 0);
  const took = await seconds(() => ended);
  ensure(took < 5, `took ${took} s`);
  const codes = [await ended, await failure(() => session.run(onPs), PS)];
  const after = await session.run(elsewhere);
  await own.stop();
  return { before, blocked, codes, after };
}

async function restartedPs(cluster: CaseCluster): Promise<unknown> {
  const own = await cluster.another({ ps: 1, worker: 1 });
  const { g, variable, add } = build((graph) => {
    const made = graph.device('/job:ps/task:0', () => graph.variable('r60', 1));
    return { variable: made, add: made.assignAdd(5) };
  });
  const session = own.session(g);
  await session.run(variable.initializer);
  const before = await session.run(add);
  await own.restart('ps', 0);
  const says = [PS, 'not found', 'just restarted'];
  const codes = [await failure(() => afterReconnect(() => session.run(variable)), ...says)];
  codes.push(await failure(() => session.run(variable), ...says));
  const fresh = own.session(g);
  codes.push(await failure(() => fresh.run(variable), 'uninitialized'));
  await fresh.run(variable.initializer);
  const after = await fresh.run(variable);
  await own.stop();
  return { before, codes, after };
}

export const failureCases: Cases = {
  'R59 a ps dies in the middle of a step': killedPs,
  'R60 a ps comes back without its variables': restartedPs,
};
