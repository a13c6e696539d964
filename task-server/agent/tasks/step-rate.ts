/** Samples that a rate is taken over; with a heartbeat a second, as many seconds. */
const SAMPLES = 4;

/** Steps per second, from counters that are read now and then. */
export class StepRate {
  #samples: { readonly steps: number; readonly at: number }[] = [];

  /** `at` in milliseconds. A counter that has fallen is that of another process. */
  add(steps: number, at: number): void {
    if (steps < (this.#samples.at(-1)?.steps ?? 0)) this.#samples = [];
    this.#samples = [...this.#samples, { steps, at }].slice(-SAMPLES);
  }

  /** -1 when it is not known. */
  get perSecond(): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.at <= first.at) return -1;
    return ((last.steps - first.steps) * 1000) / (last.at - first.at);
  }
}
