import { cancelled, outOfRange, type StatusError } from '#proto/wire/status.ts';
import type { Resource } from '../engine/resource-manager.ts';
import type { Element, ElementStore } from './queue-store.ts';
import { Waiter } from './queue-waiter.ts';

export interface QueueOptions {
  /** For messages: `FIFOQueue`. */
  readonly typeName: string;
  readonly name: string;
  readonly capacity: number;
  readonly store: ElementStore;
  /** Elements that stay behind until the queue is closed. */
  readonly minAfterDequeue?: number;
}

class Enqueue extends Waiter<void> {
  readonly elements: readonly Element[];
  /** How many are in. */
  done = 0;

  constructor(elements: readonly Element[]) {
    super();
    this.elements = elements;
  }
}

/** Closing waits for the enqueues that came before it. */
class Close extends Waiter<void> {}

class Dequeue extends Waiter<Element[]> {
  wanted: number;
  readonly upTo: boolean;
  readonly taken: Element[] = [];

  constructor(wanted: number, upTo: boolean) {
    super();
    this.wanted = wanted;
    this.upTo = upTo;
  }
}

/**
 * A queue of a device. Requests are served in order, those that put in and those that take out each in a line of their
 * own; one that cannot be served waits and blocks nobody else's step. Whoever is cancelled leaves the line, and what it had
 * taken goes back to the front, so no element is lost. Answers are given at once where they can be.
 */
export class Queue implements Resource {
  readonly typeName: string;
  readonly name: string;
  readonly capacity: number;
  readonly #store: ElementStore;
  readonly #minAfterDequeue: number;
  readonly #writers: (Enqueue | Close)[] = [];
  readonly #readers: Dequeue[] = [];
  #closed = false;

  constructor({ typeName, name, capacity, store, minAfterDequeue = 0 }: QueueOptions) {
    this.typeName = typeName;
    this.name = name;
    this.capacity = capacity < 0 ? Number.POSITIVE_INFINITY : capacity;
    this.#store = store;
    this.#minAfterDequeue = minAfterDequeue;
  }

  get size(): number {
    return this.#store.size;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Waits for room. CANCELLED when the queue is closed. Cancelled in between, it leaves the elements that are in. */
  enqueue(elements: readonly Element[], signal: AbortSignal): void | Promise<void> {
    return this.#line(this.#writers, new Enqueue(elements), signal);
  }

  /** Waits for `count` elements; with `upTo`, takes what is left of a closed queue. OUT_OF_RANGE when it is closed and has too few. */
  dequeue(count: number, signal: AbortSignal, { upTo = false } = {}): Element[] | Promise<Element[]> {
    if (count === 0) return [];
    return this.#line(this.#readers, new Dequeue(count, upTo), signal);
  }

  /** No more elements come in. Waits for pending enqueues, or with `cancelPending` ends them with CANCELLED. */
  close(cancelPending: boolean, signal: AbortSignal): void | Promise<void> {
    if (!cancelPending) return this.#line(this.#writers, new Close(), signal);
    this.#closed = true;
    this.#failAll(this.#writers, () => cancelled('Enqueue operation was cancelled'));
    this.#serve();
  }

  dispose(): void {
    this.#closed = true;
    const gone = () => cancelled(`Queue '${this.name}' was deleted.`);
    this.#failAll(this.#writers, gone);
    for (const reader of this.#readers) this.#giveBack(reader);
    this.#failAll(this.#readers, gone);
  }

  #line<W extends Waiter<T>, T>(line: W[], waiter: W & Waiter<T>, signal: AbortSignal): T | Promise<T> {
    signal.throwIfAborted();
    line.push(waiter);
    this.#serve();
    return waiter.result(signal, () => {
      line.splice(line.indexOf(waiter), 1);
      if (waiter instanceof Dequeue) this.#giveBack(waiter);
      waiter.fail(signal.reason);
      this.#serve();
    });
  }

  #failAll(line: { fail(error: StatusError): void }[], error: () => StatusError): void {
    for (const waiter of line.splice(0)) waiter.fail(error());
  }

  /** Lets both lines move until neither can. */
  #serve(): void {
    for (let moved = true; moved; ) {
      moved = this.#serveFirst(this.#writers, (writer) => this.#write(writer));
      moved = this.#serveFirst(this.#readers, (reader) => this.#read(reader)) || moved;
    }
  }

  /** Whether anything happened. */
  #serveFirst<W extends { readonly settled: boolean }>(line: W[], serve: (waiter: W) => boolean): boolean {
    const [first] = line;
    if (!first) return false;
    const moved = serve(first);
    if (first.settled) line.shift();
    return moved || first.settled;
  }

  #write(writer: Enqueue | Close): boolean {
    if (writer instanceof Close) {
      if (this.#closed) writer.fail(cancelled(`Queue '${this.name}' is already closed.`));
      else {
        this.#closed = true;
        writer.finish();
      }
      return true;
    }
    const { elements } = writer;
    const before = writer.done;
    if (this.#closed && elements.length > 0) writer.fail(cancelled(`${this.#title} is closed.`));
    else {
      while (writer.done < elements.length && this.#store.size < this.capacity) this.#store.put(elements[writer.done++] as Element);
      if (writer.done === elements.length) writer.finish();
    }
    return writer.done > before;
  }

  #read(reader: Dequeue): boolean {
    if (this.#closed && this.#store.size < reader.wanted) this.#readLast(reader);
    if (reader.settled) return true;
    const available = this.#store.size - (this.#closed ? 0 : this.#minAfterDequeue);
    const count = Math.min(available, reader.wanted);
    for (let i = 0; i < count; i++) reader.taken.push(this.#store.take());
    reader.wanted -= Math.max(count, 0);
    if (reader.wanted === 0) reader.finish(reader.taken);
    return count > 0;
  }

  /** The queue is closed and has too few: whoever takes less gets the rest, all others nothing. */
  #readLast(reader: Dequeue): void {
    const missing = `(requested ${reader.wanted}, current size ${this.#store.size})`;
    this.#giveBack(reader);
    if (reader.upTo && this.#store.size > 0) reader.wanted = this.#store.size;
    else reader.fail(outOfRange(`${this.#title} is closed and has insufficient elements ${missing}`));
  }

  #giveBack(reader: Dequeue): void {
    if (reader.taken.length > 0) this.#store.restore(reader.taken.splice(0));
  }

  get #title(): string {
    return `${this.typeName} '${this.name}'`;
  }
}
