import { ClusterSpec, Session, toNumber, type WaitReport } from '../../../main/client/index.ts';
import { build, type CaseCluster, type Cases, ensure, failure, isBlocked, seconds, until } from './harness.ts';

/** The master's own device first; TensorFlow lists the others in the order in which they answered. */
async function deviceList(session: Session): Promise<[string, string, number][]> {
  const devices = (await session.listDevices()).map(({ name, type, memoryLimit }): [string, string, number] => [name, type, memoryLimit]);
  return [...devices.slice(0, 1), ...devices.slice(1).sort(([a], [b]) => (a < b ? -1 : 1))];
}

const deviceNames = async (session: Session): Promise<string[]> => (await deviceList(session)).map(([name]) => name);

const constant = () => build((g) => ({ one: g.constant(1) }));

async function twoSessions(cluster: CaseCluster): Promise<unknown> {
  const { g, product } = build((graph) => ({
    product: graph.matmul(graph.constant([[1, 2]], { dtype: 'int32' }), graph.constant([[2], [1]], { dtype: 'int32' })),
  }));
  const [first, second] = [cluster.session(g), cluster.session(g)];
  const both = [await first.run(product), await second.run(product)];
  await first.close();
  return { both, after: await second.run(product), devices: await deviceList(second) };
}

async function missingTask(cluster: CaseCluster): Promise<unknown> {
  const own = await cluster.another({ ps: 1, worker: 2 }, { later: ['worker:1'] });
  const { g, one } = constant();
  const impatient = own.session(g, 'worker:0', { operationTimeoutMs: 2000 });
  const took = await seconds(() => failure(() => impatient.run(one)));
  ensure(took > 1.9 && took < 5, `gave up after ${took} s`);
  const code = await failure(() => impatient.run(one));
  const reports: WaitReport[] = [];
  const spec = new ClusterSpec(own.addresses);
  const waiting = own.session(g, 'worker:0', { cluster: spec, onWait: (report) => reports.push(report) }).run(one);
  const blocked = await isBlocked(waiting, 5000);
  ensure(reports.length > 0, 'nothing was said about the wait within 5 s');
  ensure(
    reports.every(({ task }) => task === '/job:worker/replica:0/task:1'),
    JSON.stringify(reports),
  );
  await until(async () => (await own.log('worker', 0)).includes('response from worker: /job:worker/replica:0/task:1'));
  await own.start('worker', 1);
  const value = await waiting;
  await own.stop();
  return { impatient: code, blocked, value };
}

async function filtersKeepMaster(cluster: CaseCluster): Promise<unknown> {
  const { g, elsewhere } = build((graph) => ({ elsewhere: graph.device('/job:worker/task:1', () => graph.add(graph.constant(1), 1)) }));
  const filtered = (...deviceFilters: string[]) => cluster.session(g, 'worker:0', { config: { deviceFilters } });
  const trivial = constant();
  const devices = await deviceNames(cluster.session(trivial.g, 'worker:0', { config: { deviceFilters: ['/job:ps'] } }));
  const narrow = await deviceNames(
    cluster.session(trivial.g, 'worker:0', { config: { deviceFilters: ['/job:ps/task:0', '/job:worker/task:0'] } }),
  );
  const pinned = filtered('/job:ps/task:0', '/job:worker/task:0');
  const code = await failure(() => pinned.run(elsewhere), 'Cannot assign a device for operation');
  return { devices, narrow, 'pinned to a task that was left out': code };
}

async function absentServer(cluster: CaseCluster): Promise<unknown> {
  const own = await cluster.another({ local: 1 }, { later: ['local:0'] });
  const { g, one } = constant();
  const deadPort = own.session(g, 'local:0', { operationTimeoutMs: 1500 });
  const took = await seconds(() => failure(() => deadPort.run(one)));
  ensure(took > 1.4 && took < 5, `gave up after ${took} s`);
  const codes = [await failure(() => deadPort.run(one))];
  const reports: WaitReport[] = [];
  const waiting = own.session(g, 'local:0', { onWait: (report) => reports.push(report) }).run(one);
  const blocked = await isBlocked(waiting, 5000);
  ensure(reports.length > 0, 'nothing was said about the wait within 5 s');
  await own.start('local', 0);
  const value = await waiting;
  await own.stop();
  return { codes, blocked, value };
}

async function restartedMaster(cluster: CaseCluster): Promise<unknown> {
  const own = await cluster.another({ worker: 1 });
  const { g, one } = constant();
  const session = own.session(g);
  const before = await session.run(one);
  await own.restart('worker', 0);
  const says = ['Session ', ' is not found.'];
  const codes = [await failure(() => afterReconnect(() => session.run(one)), ...says)];
  const two = g.add(one, 1);
  codes.push(await failure(() => session.run(two), ...says));
  codes.push(await failure(() => session.close(), ' is not found. Possibly, this master has restarted.'));
  const after = await own.session(g).run(two);
  await own.stop();
  return { before, codes, after };
}

/** A client that does not retry by itself may meet the broken connection first. */
export async function afterReconnect<T>(call: () => Promise<T>): Promise<T> {
  let last: unknown;
  for (let i = 0; i < 20; i++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Error) || !('codeName' in error) || error.codeName !== 'UNAVAILABLE') throw error;
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw last;
}

function queueOn(device: string, sharedName: string) {
  return build((g) =>
    g.device(device, () => {
      const queue = g.fifoQueue(10, 'float', { shapes: [[]], sharedName });
      const size = queue.size();
      return { dequeue: queue.dequeue()[0] ?? size, enqueue: queue.enqueue(3), size };
    }),
  );
}

async function closeCancelsDequeue(cluster: CaseCluster): Promise<unknown> {
  const { g, dequeue, enqueue, size } = queueOn('/job:worker/task:1', 'r08');
  const session = cluster.session(g);
  await session.run(size);
  const ended = failure(() => session.run(dequeue), 'Step was cancelled by an explicit call to', 'Session::Close()');
  const blocked = await isBlocked(ended);
  const took = await seconds(async () => {
    await session.close();
    await ended;
  });
  ensure(took < 2, `took ${took} s`);
  const second = cluster.session(g);
  await second.run(enqueue);
  return { blocked, code: await ended, left: await second.run(size), taken: await second.run(dequeue) };
}

async function largeTensors(cluster: CaseCluster): Promise<unknown> {
  const shape = [10_000, 3_000];
  const { g, big, mean, fed, smallest, constantSum } = build((graph) => {
    const filled = graph.device('/job:worker/task:1', () => graph.fill(shape, 0.5));
    const ones = { dtype: 'float' as const, shape: [2000, 3000], data: new Float32Array(6_000_000).fill(1) };
    const placeholder = graph.placeholder('float', shape);
    return {
      big: filled,
      mean: graph.device('/job:ps/task:0', () => graph.reduceMean(filled)),
      constantSum: graph.device('/job:ps/task:0', () => graph.reduceSum(graph.constant(ones))),
      fed: placeholder,
      smallest: graph.reduceMin(placeholder),
    };
  });
  const session = cluster.session(g);
  const fetched = await session.run(big);
  const data = fetched.data as Float32Array;
  return {
    mean: await session.run(mean),
    fetched: [`(${fetched.shape.join(', ')})`, data.reduce((a, b) => Math.min(a, b)), data.reduce((a, b) => Math.max(a, b))],
    fed: await session.run(smallest, { feeds: [[fed, fetched]] }),
    constant: await session.run(constantSum),
  };
}

async function sparseJob(cluster: CaseCluster): Promise<unknown> {
  const own = await cluster.another({ l: [3] });
  const integer = build((g) => ({ six: g.mul(g.constant(2, { dtype: 'int32' }), 3) }));
  const lonely = own.session(integer.g, 'l:3');
  const sparse = [await lonely.run(integer.six), await deviceNames(lonely)];
  await own.stop();
  const { g, product } = build((graph) => {
    const far = graph.device('/job:worker/task:1', () => graph.constant(2));
    return { product: graph.device('/job:ps/task:1', () => graph.mul(far, 4)) };
  });
  const session = cluster.session(g, 'ps:0');
  return { sparse, 'from ps': [await session.run(product), await deviceNames(session)] };
}

async function overlapping(cluster: CaseCluster): Promise<unknown> {
  const { g, dequeue, enqueue, total } = build((graph) => {
    const [queue, base] = graph.device('/job:ps/task:0', () => [
      graph.fifoQueue(1, 'float', { shapes: [[]], sharedName: 'r37' }),
      graph.constant(20),
    ]);
    const sum = graph.device('/job:worker/task:1', () => graph.add(graph.mul(base, 2), 2));
    return graph.device('/job:ps/task:0', () => ({ dequeue: queue.dequeue()[0] ?? sum, enqueue: queue.enqueue(1), total: sum }));
  });
  const session = cluster.session(g);
  const blocked = session.run(dequeue);
  const values = await Promise.all(Array.from({ length: 16 }, () => session.run(total)));
  ensure(
    values.every((value) => toNumber(value) === 42),
    'not all are 42',
  );
  const still = await isBlocked(blocked, 50);
  await session.run(enqueue);
  return { values, 'still blocked': still, woken: await blocked };
}

async function twoNames(cluster: CaseCluster): Promise<unknown> {
  const { g, variable } = build((graph) => ({ variable: graph.device('/job:worker/task:0', () => graph.variable('r21', 0)) }));
  const assign = variable.assign(7);
  await cluster.session(g).run(assign);
  const byName = cluster.target().replace('127.0.0.1', 'localhost');
  ensure(byName !== cluster.target(), byName);
  const session = new Session(byName, { graph: g });
  const value = await session.run(variable);
  await session.close();
  return { value };
}

export const sessionCases: Cases = {
  'R01 two sessions on one server, one closed before the other': twoSessions,
  'R02 a session waits for a missing task, says for which, and goes on when it comes': missingTask,
  'R04 a device filter always keeps the task of the master': filtersKeepMaster,
  'R05 a client of a server that is not there: timeout, or success when it comes': absentServer,
  'R06 a session whose master was restarted is ABORTED; a new one works': restartedMaster,
  'R08 closing a session ends its blocked dequeue and leaves the queue as it was': closeCancelsDequeue,
  'R13 tensors far above the usual message limit: fed, fetched, between tasks': largeTensors,
  'R19 a sparse job; a ps as master': sparseJob,
  'R21 127.0.0.1 and localhost are the same master': twoNames,
  'R37 sixteen threads on one session, while one of them is blocked': overlapping,
};
