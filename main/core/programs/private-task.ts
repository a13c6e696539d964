import { LocalTask } from '../../client/index.ts';

/** Whoever looks at a placement usually looks again, and a task takes half a second to start. */
const KEEP_MS = 5 * 60_000;

/** A task of this core's own, for questions that no task of a cluster can answer. Started when it is needed, ended when it is not. */
export class PrivateTask {
  #starting: Promise<LocalTask> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** What to dial. Rejects as `LocalTask.start` does. */
  async target(): Promise<string> {
    clearTimeout(this.#timer);
    this.#starting ??= this.#start();
    const task = await this.#starting;
    this.#timer = setTimeout(() => void this.#end(), KEEP_MS).unref();
    return task.target;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  async #start(): Promise<LocalTask> {
    try {
      const task = await LocalTask.start();
      void task.ended.then(() => {
        this.#starting = undefined;
      });
      if (this.#isClosed) await task.stop();
      return task;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#timer);
    // A start that failed has been reported to whoever asked for it.
    const [started] = await Promise.allSettled([this.#starting]);
    if (started.status === 'fulfilled') await started.value?.stop();
  }
}
