import type { Partition } from './client-graph.ts';

const TIMEOUT_MS = 5000;

/** Tells tasks to forget steps that are over, while nobody waits: a client has its answer before. */
export class StepCleanups {
  readonly #pending = new Set<Promise<void>>();

  start(partitions: readonly Partition[], stepId: bigint): void {
    for (const { worker } of partitions) {
      const done: Promise<void> = worker.cleanupGraph(stepId, { timeoutMs: TIMEOUT_MS }).then(
        () => void this.#pending.delete(done),
        // A task that cannot be reached has lost the state of the step, or loses it with the session.
        () => void this.#pending.delete(done),
      );
      this.#pending.add(done);
    }
  }

  /** Resolves, after the time limit of a cleanup at the latest, when none is under way. */
  async done(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
