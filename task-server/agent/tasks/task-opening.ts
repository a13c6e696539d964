import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { removeOpening, requestOpening, writeOpening } from '../../service/opening-file.ts';
import type { OpenNetwork } from '../../service/openings.ts';

/** The file by which one task is opened to a network for a time, and what the task says of it. Only the task ends it in time. */
export class TaskOpening {
  readonly path: string;
  #told: readonly OpenNetwork[] = [];
  #toldAt = 0;
  #written: Promise<void> = Promise.resolve();

  /** Ids of tasks differ in case, which some file systems do not see. */
  constructor(folder: string, id: string) {
    this.path = join(folder, `opening-${createHash('sha256').update(id).digest('hex').slice(0, 16)}.json`);
  }

  /** As the task told it last, less the time since then. */
  get now(): { network: string; remaining: number }[] {
    const since = performance.now() - this.#toldAt;
    return this.#told
      .filter(({ remainingMs }) => remainingMs < 0 || remainingMs > since)
      .map(({ network, remainingMs }) => ({ network, remaining: remainingMs < 0 ? -1 : remainingMs - since }));
  }

  learn(told: readonly OpenNetwork[]): void {
    this.#told = told;
    this.#toldAt = performance.now();
  }

  /** In place of an earlier one; the task sees it within a second. INVALID_ARGUMENT for what is no network or no time. */
  open(network: string, seconds: number): Promise<void> {
    const opening = requestOpening(network, seconds);
    return this.#write(() => writeOpening(this.path, opening));
  }

  close(): Promise<void> {
    return this.#write(() => removeOpening(this.path));
  }

  /** What was asked for last is what stays. */
  #write(work: () => Promise<void>): Promise<void> {
    const written = this.#written.then(work);
    this.#written = written.catch(() => undefined);
    return written;
  }
}
