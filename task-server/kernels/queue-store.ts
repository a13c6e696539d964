import type { Tensor } from '#proto/wire/tensor.ts';
import type { Philox } from './philox.ts';

/** One element: a tensor for each component. */
export type Element = readonly Tensor[];

/** What a queue holds, and in which order it gives it out. */
export interface ElementStore {
  readonly size: number;
  put(element: Element): void;
  /** Only when there is one. */
  take(): Element;
  /** Elements that were taken, but not delivered; in the order taken. */
  restore(elements: readonly Element[]): void;
}

/** First in, first out. */
export class FifoStore implements ElementStore {
  #elements: Element[] = [];
  #head = 0;

  get size(): number {
    return this.#elements.length - this.#head;
  }

  put(element: Element): void {
    this.#elements.push(element);
  }

  take(): Element {
    const element = this.#elements[this.#head] as Element;
    this.#elements[this.#head] = [];
    this.#head++;
    // Moves the rest only when half is gone: constant time on average.
    if (this.#head > 32 && this.#head * 2 > this.#elements.length) {
      this.#elements = this.#elements.slice(this.#head);
      this.#head = 0;
    }
    return element;
  }

  restore(elements: readonly Element[]): void {
    this.#elements = [...elements, ...this.#elements.slice(this.#head)];
    this.#head = 0;
  }
}

/** In random order, the one that TensorFlow's generator chooses. */
export class ShuffleStore implements ElementStore {
  readonly #elements: Element[] = [];
  readonly #generator: Philox;

  constructor(generator: Philox) {
    this.#generator = generator;
  }

  get size(): number {
    return this.#elements.length;
  }

  put(element: Element): void {
    this.#elements.push(element);
  }

  take(): Element {
    const index = this.#generator.next() % this.#elements.length;
    const taken = this.#elements[index] as Element;
    const last = this.#elements.pop() as Element;
    if (index < this.#elements.length) this.#elements[index] = last;
    return taken;
  }

  restore(elements: readonly Element[]): void {
    this.#elements.push(...elements);
  }
}

interface Ranked {
  readonly priority: bigint;
  /** Of equal priorities the first one in comes out first. */
  readonly order: number;
  readonly element: Element;
}

/** The smallest first component, an int64, first: a binary heap. */
export class PriorityStore implements ElementStore {
  readonly #heap: Ranked[] = [];
  #count = 0;

  get size(): number {
    return this.#heap.length;
  }

  put(element: Element): void {
    this.#insert({ priority: (element[0] as Tensor<'int64'>).data[0] as bigint, order: this.#count++, element });
  }

  take(): Element {
    const top = this.#heap[0] as Ranked;
    const last = this.#heap.pop() as Ranked;
    if (this.#heap.length > 0) this.#sink(last);
    return top.element;
  }

  restore(elements: readonly Element[]): void {
    for (const [index, element] of elements.entries()) {
      const priority = (element[0] as Tensor<'int64'>).data[0] as bigint;
      this.#insert({ priority, order: index - elements.length - this.#count, element });
    }
  }

  #insert(entry: Ranked): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(entry, heap[parent] as Ranked)) break;
      heap[at] = heap[parent] as Ranked;
      at = parent;
    }
    heap[at] = entry;
  }

  #sink(entry: Ranked): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (!left) break;
      if (right && before(right, left)) child++;
      if (!before(heap[child] as Ranked, entry)) break;
      heap[at] = heap[child] as Ranked;
      at = child;
    }
    heap[at] = entry;
  }
}

function before(a: Ranked, b: Ranked): boolean {
  return a.priority === b.priority ? a.order < b.order : a.priority < b.priority;
}
