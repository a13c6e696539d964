import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { type Random, withSeed } from './support/random.ts';
import { expectIdle } from './support/task-load.ts';
import { type Failure, outcome, Trainer } from './support/trainer.ts';

const KILLS = 25;
const STOPS = 15;
const STORM_MS = 40_000;
/** After this time a task that stands still is given up. */
const SILENCE_MS = 60_000;
/** What a call may take to end once its peer is dead; and any other call on a busy machine. */
const BOUND_MS = 5000;
/** A new session waits for the task that is coming back, with growing pauses between its tries. */
const NEW_SESSION_MS = 20_000;

const victims = [
  ['ps', 0],
  ['worker', 0],
  ['worker', 1],
] as const;
type Victim = (typeof victims)[number];

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ jobs: { ps: 1, worker: 2 }, engine: 'bundled' });
  await new Trainer(cluster, 0).initialize(NEW_SESSION_MS);
});
afterAll(() => cluster?.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Two clients that train, and one that waits, while something happens to a task. */
class Round {
  readonly trainers = [new Trainer(cluster, 0), new Trainer(cluster, 1)] as const;
  readonly waiter = new Trainer(cluster, 0);
  readonly ends: Promise<Failure | undefined>[] = [];
  stopped = false;

  /** Resolves when both have done a step. */
  async begin(): Promise<void> {
    this.ends.push(...this.trainers.map((trainer) => trainer.train(() => this.stopped)), this.waiter.wait());
    await expect.poll(() => this.trainers.every(({ steps }) => steps > 0), { timeout: NEW_SESSION_MS }).toBe(true);
  }

  get steps(): number {
    return this.trainers.reduce((sum, { steps }) => sum + steps, 0);
  }

  /** Ends what still runs; the calls of closed sessions must end, too. */
  async end(): Promise<(Failure | undefined)[]> {
    this.stopped = true;
    await Promise.all([...this.trainers, this.waiter].map(({ session }) => outcome(session.close({ timeoutMs: BOUND_MS }))));
    return within(BOUND_MS, Promise.all(this.ends), 'the calls of a closed session');
  }
}

function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  const limit = pause(ms).then(() => Promise.reject(new Error(`${what} did not end within ${ms} ms`)));
  limit.catch(() => undefined);
  return Promise.race([work, limit as Promise<never>]);
}

describe('training goes on', () => {
  it('after tasks were killed and started anew', () =>
    withSeed(async (random) => {
      const slowest = { end: 0, session: 0 };
      let known = 0;
      for (let number = 0; number < KILLS; number++) {
        const { endMs, sessionMs, steps } = await killed(random, random.pick(victims), known);
        known = steps;
        slowest.end = Math.max(slowest.end, endMs);
        slowest.session = Math.max(slowest.session, sessionMs);
      }
      console.log(
        `${KILLS} kills: calls ended within ${slowest.end.toFixed()} ms, new sessions worked within ${slowest.session.toFixed()} ms`,
      );
    }));

  it('while tasks stand still and go on', () =>
    withSeed(async (random) => {
      const round = new Round();
      await round.begin();
      let stoppedMs = 0;
      for (let number = 0; number < STOPS; number++) {
        const [job, task] = random.pick(victims);
        const ms = random.below(1500);
        cluster.process(job, task).kill('SIGSTOP');
        await pause(ms);
        cluster.process(job, task).kill('SIGCONT');
        stoppedMs = Math.max(stoppedMs, ms);
        await advances(round);
      }
      const failures = await round.end();
      const slowest = Math.max(...round.trainers.map(({ slowestMs }) => slowestMs));
      console.log(`${STOPS} stops of ${stoppedMs} ms at most: ${round.steps} steps, the slowest took ${slowest.toFixed()} ms`);
      for (const failure of failures) expect(failure?.code ?? 'CANCELLED').toBe('CANCELLED');
      expect(slowest).toBeLessThan(stoppedMs + BOUND_MS);
    }));

  it('when a ps that stood still for long is given up, and comes back', async () => {
    const round = new Round();
    await round.begin();
    const at = performance.now();
    cluster.process('ps', 0).kill('SIGSTOP');
    const failures = await within(SILENCE_MS, Promise.all(round.ends), 'calls to a ps that stands still');
    const seconds = (performance.now() - at) / 1000;
    console.log(`calls to a ps that stood still ended after ${seconds.toFixed(1)} s`);
    for (const failure of failures)
      expect(failure).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('/job:ps/replica:0/task:0') });
    cluster.process('ps', 0).kill('SIGCONT');
    await round.end();
    const fresh = new Trainer(cluster, 0);
    let count = 0;
    expect(
      await within(
        NEW_SESSION_MS,
        fresh.train(() => count++ === 3),
        'three steps of a new session',
      ),
    ).toBeUndefined();
    await fresh.session.close();
  });

  it('when sessions are opened and closed while tasks die', () =>
    withSeed(async (random) => {
      const codes = new Map<string, number>();
      const end = performance.now() + STORM_MS;
      const clients = [0, 1, 0].map((worker) => openAndClose(worker, () => performance.now() > end, codes));
      while (performance.now() < end) {
        const [job, task] = random.pick(victims);
        await cluster.kill(job, task);
        await pause(random.below(200));
        await cluster.start(job, task);
        await pause(random.below(1500));
      }
      await within(2 * NEW_SESSION_MS, Promise.all(clients), 'clients of a cluster that is whole again');
      console.log(`sessions while tasks died: ${[...codes].map(([code, count]) => `${code} ${count}`).join(', ')}`);
      expect([...codes.keys()].filter((code) => !STORM_CODES.includes(code))).toEqual([]);
      expect(codes.get('OK')).toBeGreaterThan(0);
      await expectIdle(
        victims.map(([job, task]) => cluster.process(job, task)),
        2 * SILENCE_MS,
      );
    }));
});

/** A dead peer; a task that has lost the session, or another one that has; a variable that the dead one had. */
const STORM_CODES = ['OK', 'UNAVAILABLE', 'ABORTED', 'FAILED_PRECONDITION'];

async function openAndClose(worker: number, stop: () => boolean, codes: Map<string, number>): Promise<void> {
  while (!stop()) {
    const trainer = new Trainer(cluster, worker);
    const failure =
      (await outcome(within(2 * NEW_SESSION_MS, trainer.initialize(0), 'a first step'))) ??
      (await outcome(within(NEW_SESSION_MS, trainer.read(0), 'a second step')));
    const code = failure?.code ?? 'OK';
    codes.set(code, (codes.get(code) ?? 0) + 1);
    await within(NEW_SESSION_MS, outcome(trainer.session.close({ timeoutMs: BOUND_MS })), 'closing');
  }
}

/** Both trainers do steps again. */
async function advances({ trainers }: Round): Promise<void> {
  const before = trainers.map(({ steps }) => steps);
  await expect.poll(() => trainers.every(({ steps }, i) => steps > (before[i] ?? 0) + 1), { timeout: BOUND_MS }).toBe(true);
}

/** `known`: steps that the parameters have seen before. */
async function killed(random: Random, [job, task]: Victim, known: number) {
  const round = new Round();
  await round.begin();
  await pause(random.below(300));
  const at = performance.now();
  await cluster.kill(job, task);
  const hit = [0, 1, 2].filter((client) => job === 'ps' || (client === 2 ? 0 : client) === task);
  const failures = await within(BOUND_MS, Promise.all(hit.map((client) => round.ends[client])), `calls after ${job} ${task} was killed`);
  for (const failure of failures) {
    expect(failure?.code).toBe('UNAVAILABLE');
    if (job === 'ps') expect(failure?.message).toContain('/job:ps/replica:0/task:0');
  }
  const endMs = Math.max(...failures.map((failure) => (failure?.at ?? 0) - at));
  if (job === 'worker') await goesOn(round, 1 - task);
  await pause(random.below(500));
  await cluster.start(job, task);
  if (job === 'ps') await expectAborted(round.trainers[0]);
  await round.end();
  return { endMs, ...(await works(round, job, known)) };
}

/** A trainer whose steps do not touch the victim does not notice anything. */
async function goesOn({ trainers }: Round, client: number): Promise<void> {
  const trainer = trainers[client];
  const before = trainer?.steps ?? 0;
  await expect.poll(() => trainer?.steps, { timeout: BOUND_MS }).toBeGreaterThan(before + 2);
}

/** An old session whose ps has restarted never sees a value again. The first tries may meet the broken connection. */
async function expectAborted(trainer: Trainer): Promise<void> {
  const read = () => outcome(trainer.read(BOUND_MS));
  await expect.poll(async () => (await read())?.code, { timeout: BOUND_MS }).toBe('ABORTED');
  const failure = await read();
  expect(failure).toMatchObject({ code: 'ABORTED', message: expect.stringMatching(/not found.*just restarted/) });
}

/** A new session finds all steps that clients know of, and at most one more for each that failed; or nothing, after the ps. */
async function works(round: Round, job: string, known: number): Promise<{ sessionMs: number; steps: number }> {
  const begin = performance.now();
  const fresh = new Trainer(cluster, 1);
  let before = 0;
  if (job === 'ps') {
    expect(await outcome(fresh.read(NEW_SESSION_MS))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining('uninitialized'),
    });
    await fresh.initialize(BOUND_MS);
  } else {
    before = await fresh.read(NEW_SESSION_MS);
    expect(before).toBeGreaterThanOrEqual(known + round.steps);
    expect(before).toBeLessThanOrEqual(known + round.steps + 2);
  }
  const sessionMs = performance.now() - begin;
  let count = 0;
  expect(
    await within(
      BOUND_MS,
      fresh.train(() => count++ === 3),
      'three steps of a new session',
    ),
  ).toBeUndefined();
  await fresh.session.close();
  return { sessionMs, steps: before + 3 };
}
