import { Graph, Session, StatusError, type Variable } from '../../../main/client/index.ts';
import type { Cluster } from '../../support/cluster.ts';

/** How a call ended that did not succeed. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** When it did, by `performance.now()`. */
  readonly at: number;
}

const PARAMETERS = 1000;

/**
 * A client that trains through the master of one worker: each step adds a vector of ones, computed on that worker, to a
 * variable on the ps that all trainers share by name.
 */
export class Trainer {
  readonly worker: number;
  readonly session: Session;
  /** Steps that the client knows to be done. */
  steps = 0;
  slowestMs = 0;
  readonly #weights: Variable;
  readonly #train;
  readonly #blocked;

  constructor(cluster: Cluster, worker: number) {
    const g = new Graph();
    const own = `/job:worker/task:${worker}`;
    this.#weights = g.device('/job:ps/task:0', () => g.variable('weights', g.zeros([PARAMETERS])));
    const delta = g.device(own, () => g.add(g.mul(this.#weights, 0), g.ones([PARAMETERS])));
    this.#train = g.device('/job:ps/task:0', () => this.#weights.assignAdd(delta).node);
    const queue = g.device('/job:ps/task:0', () => g.fifoQueue(1, 'float', { shapes: [[]], sharedName: `never filled ${worker}` }));
    this.#blocked = g.device(own, () => g.neg(queue.dequeue()[0] ?? delta));
    this.worker = worker;
    this.session = new Session(cluster.target('worker', worker), { graph: g });
  }

  initialize(timeoutMs: number): Promise<undefined> {
    return this.session.run(this.#weights.initializer, { timeoutMs });
  }

  /** The number of steps that the parameters have seen, those of other trainers included; all of them have seen the same. */
  async read(timeoutMs: number): Promise<number> {
    const { data } = await this.session.run(this.#weights, { timeoutMs });
    const seen = new Set<unknown>(data);
    if (seen.size !== 1) throw new Error(`half a step was read: ${[...seen].slice(0, 3)}`);
    return Number(data[0]);
  }

  /** Trains until `stop` says so; resolves to the failure that ended it before, if there was one. */
  async train(stop: () => boolean): Promise<Failure | undefined> {
    while (!stop()) {
      const begin = performance.now();
      const failure = await outcome(this.session.run(this.#train));
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begin);
      if (failure) return failure;
      this.steps++;
    }
    return undefined;
  }

  /** A step that waits for a value which never comes. */
  wait(): Promise<Failure | undefined> {
    return outcome(this.session.run(this.#blocked));
  }
}

/** Undefined when the call succeeds. */
export async function outcome(call: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { code: error.codeName, message: error.message, at: performance.now() };
  }
}
