import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  parseOpeningText,
  type RequestedOpening,
  readOpeningText,
  removeOpening,
  requestOpening,
  timeLeft,
  writeOpening,
} from '../../service/opening-file.ts';
import type { OpenNetwork } from '../../service/openings.ts';

/** A network, and for how long. */
export type Opening = Pick<RequestedOpening, 'network' | 'seconds'>;

/**
 * The file by which one task is opened to a network for a time, and what the task says of it. Only the task ends it in time. It goes on
 * with the processes of one *life* of the task, and ends with that.
 */
export class TaskOpening {
  readonly path: string;
  #told: readonly OpenNetwork[] = [];
  #toldAt = 0;
  #written: Promise<void> = Promise.resolve();
  /** What lies there is of this task, and not of an earlier one that nobody knows of. */
  #isOwn = false;

  /** Ids of tasks differ in case, which some file systems do not see. */
  constructor(folder: string, id: string) {
    this.path = join(folder, `opening-${createHash('sha256').update(id).digest('hex').slice(0, 16)}.json`);
  }

  /** As the task told it last, or was foretold to tell it, less the time since then. */
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

  /** An agent before this one had the task. */
  adopt(life: string): void {
    this.#isOwn = true;
    this.foretell(life);
  }

  /** There is no process that could tell: what the next one will say, in that life, counts until it does. */
  foretell(life: string): void {
    this.learn(this.#rest(life));
  }

  /** Resolves when a process of that life may read the file. */
  begin(life: string): Promise<void> {
    return this.#write(async () => {
      if (this.#rest(life).length === 0) await removeOpening(this.path);
      this.#isOwn = true;
    });
  }

  /** In place of an earlier one; the task sees it within a second. INVALID_ARGUMENT for what is no network or no time. */
  open({ network, seconds }: Opening, life: string): Promise<void> {
    const opening = { ...requestOpening(network, seconds), life };
    return this.#write(() => writeOpening(this.path, opening));
  }

  close(): Promise<void> {
    return this.#write(() => removeOpening(this.path));
  }

  #rest(life: string): readonly OpenNetwork[] {
    try {
      const text = this.#isOwn ? readOpeningText(this.path) : '';
      if (text === '') return [];
      const opening = parseOpeningText(text);
      const remainingMs = timeLeft(opening);
      return opening.life === life && remainingMs > 0 ? [{ network: opening.network, remainingMs }] : [];
    } catch {
      // It opens nothing, as the task itself says that reads it.
      return [];
    }
  }

  /** What was asked for last is what stays. */
  #write(work: () => Promise<void>): Promise<void> {
    const written = this.#written.then(work);
    this.#written = written.catch(() => undefined);
    return written;
  }
}
