import type { WorkerInterface } from '../worker/worker-interface.ts';
import type { Partition } from './client-graph.ts';
import type { After } from './master-env.ts';

const TIMEOUT_MS = 5000;

/** The next step of a client that is quick takes the cleanups of this one along; without such a step they go after this time. */
const DELAY_MS = 10;

/** Tells tasks to forget steps that are over, while nobody waits: a client has its answer before. */
export class StepCleanups {
  readonly #after: After;
  readonly #waiting: { worker: WorkerInterface; stepId: bigint }[] = [];
  readonly #pending = new Set<Promise<void>>();
  #isScheduled = false;

  constructor(after: After) {
    this.#after = after;
  }

  start(partitions: readonly Partition[], stepId: bigint): void {
    for (const { worker } of partitions) {
      if (worker.isLocal) this.#send(worker, stepId);
      else this.#waiting.push({ worker, stepId });
    }
    if (this.#waiting.length === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    this.#after(DELAY_MS, () => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  /** Sends all that waits. To be called when the tasks are about to hear of another step anyway. */
  flush(): void {
    for (const { worker, stepId } of this.#waiting.splice(0)) this.#send(worker, stepId);
  }

  /** Resolves, after the time limit of a cleanup at the latest, when none is left. */
  async done(): Promise<void> {
    this.flush();
    await Promise.all(this.#pending);
  }

  #send(worker: WorkerInterface, stepId: bigint): void {
    const done: Promise<void> = worker.cleanupGraph(stepId, { timeoutMs: TIMEOUT_MS }).then(
      () => void this.#pending.delete(done),
      // A task that cannot be reached has lost the state of the step, or loses it with the session.
      () => void this.#pending.delete(done),
    );
    this.#pending.add(done);
  }
}
