/** Over how long it is measured, in milliseconds. */
const WINDOW = 5000;

/** How fast a count grows. */
export class Rate {
  #points: { readonly time: number; readonly count: number }[] = [];

  /** The count at a time, not before the last one. */
  add(time: number, count: number): void {
    const last = this.#points.at(-1);
    // It began anew.
    if (last && count < last.count) this.#points = [];
    this.#points.push({ time, count });
    const old = this.#points.findLastIndex((point) => point.time < time - WINDOW);
    if (old > 0) this.#points = this.#points.slice(old);
  }

  /** A second; undefined as long as too little is known. */
  at(now: number): number | undefined {
    const first = this.#points.find(({ time }) => time >= now - WINDOW) ?? this.#points.at(-1);
    const last = this.#points.at(-1);
    if (!first || !last || now <= first.time || (this.#points[0] === last && now - first.time < 1000)) return undefined;
    return ((last.count - first.count) * 1000) / (now - first.time);
  }
}
