import type { DnsMessage } from '#proto/discovery/dns.ts';

/** Answers of many machines to one query shall not collide. */
const MIN_DELAY_MS = 20;
const MAX_DELAY_MS = 120;
/** Nothing is multicast more often. */
const BETWEEN_MS = 1000;

/** Answers on one link: one for all who ask at about the same time. */
export class Replies {
  readonly #send: (answer: DnsMessage) => unknown;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(send: (answer: DnsMessage) => unknown) {
    this.#send = send;
  }

  send(answer: DnsMessage): void {
    if (this.#timer) return;
    const soon = MIN_DELAY_MS + Math.random() * (MAX_DELAY_MS - MIN_DELAY_MS);
    const delay = Math.max(soon, this.#sentAt + BETWEEN_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sentAt = performance.now();
      this.#send(answer);
    }, delay);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
