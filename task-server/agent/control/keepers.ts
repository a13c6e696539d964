/**
 * Those for whom a private agent goes on: the process that started it, and all cores that use it. None of them can leave without
 * being noticed: each holds a pipe or a connection that the system closes when its process ends, however it ends.
 */
export class Keepers {
  /** Resolves when the last one is gone. */
  readonly gone: Promise<void>;
  #count = 0;
  #resolve: () => void = () => undefined;

  constructor() {
    this.gone = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get count(): number {
    return this.#count;
  }

  /** One more; it is gone when the returned function is called. */
  add(): () => void {
    let isHere = true;
    this.#count++;
    return () => {
      if (!isHere) return;
      isHere = false;
      this.#count--;
      if (this.#count === 0) this.#resolve();
    };
  }
}
