/** What is under way for a cluster: a task that comes up while the cluster is being stopped must be stopped too. */
export class Works {
  readonly #running = new Set<Promise<void>>();

  /** Settles as the work does. */
  async track(work: Promise<void>): Promise<void> {
    const settled = work.catch(() => undefined);
    this.#running.add(settled);
    try {
      await work;
    } finally {
      this.#running.delete(settled);
    }
  }

  /** Resolves when all is over that is under way now. */
  async over(): Promise<void> {
    await Promise.all(this.#running);
  }
}
