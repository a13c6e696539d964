import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { toStatusError } from '#proto/wire/status.ts';
import type { RunEntry } from './run-entry.ts';

export interface FolderWatchEnv {
  readonly folder: string;
  /** Folders whose names begin so are none of runs. */
  readonly notRuns: string;
  readonly log: (line: string) => void;
  entries(): Iterable<RunEntry>;
  /** Called again and again until it is among the entries, or has thrown. */
  onFound(path: string): Promise<void>;
  onGone(entry: RunEntry): void;
  /** Its record was changed, perhaps by another process. */
  onChanged(entry: RunEntry): Promise<void>;
  /** Once in every round. */
  onRound(): Promise<void>;
}

const ROUND_MS = 1000;
/** Each record is looked at once in so many rounds. */
const ROUNDS = 10;

/**
 * Notices what other processes do in the folder of all runs, by looking at it once a second: file systems tell of changes in too
 * many ways, and on some not at all.
 */
export class FolderWatch {
  readonly #env: FolderWatchEnv;
  /** Names of folders that are no runs that can be read. */
  readonly #unreadable = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #round = 0;
  #isClosed = false;
  #said = '';

  constructor(env: FolderWatchEnv) {
    this.#env = env;
    this.#later();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #later(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.look(), ROUND_MS).unref();
  }

  /** One round. Never rejects. */
  async look(): Promise<void> {
    try {
      await this.#lookAtFolder();
      await this.#lookAtRecords();
      await this.#env.onRound();
      this.#said = '';
    } catch (error) {
      const { message } = toStatusError(error);
      if (message !== this.#said && !this.#isClosed) this.#env.log(`The runs of other processes cannot be followed: ${message}`);
      this.#said = message;
    }
    this.#later();
  }

  async #lookAtFolder(): Promise<void> {
    const { folder, notRuns } = this.#env;
    const there = new Set((await readdir(folder)).filter((name) => !name.startsWith(notRuns)));
    const known = new Map([...this.#env.entries()].map((entry) => [basename(entry.folder.path), entry]));
    for (const [name, entry] of known) if (!there.has(name)) this.#env.onGone(entry);
    for (const name of there) if (!known.has(name) && !this.#unreadable.has(name)) await this.#find(name);
  }

  async #find(name: string): Promise<void> {
    try {
      await this.#env.onFound(join(this.#env.folder, name));
    } catch (error) {
      this.#unreadable.add(name);
      this.#env.log(`${join(this.#env.folder, name)} is left out of the history: ${toStatusError(error).message}`);
    }
  }

  async #lookAtRecords(): Promise<void> {
    this.#round = (this.#round + 1) % ROUNDS;
    for (const [i, entry] of [...this.#env.entries()].entries()) {
      if (i % ROUNDS !== this.#round) continue;
      const stamp = await stampOf(entry);
      if (stamp === undefined || stamp === entry.stamp) continue;
      const isChanged = entry.stamp !== 0;
      entry.stamp = stamp;
      if (isChanged) await this.#env.onChanged(entry);
    }
  }
}

async function stampOf({ folder }: RunEntry): Promise<number | undefined> {
  try {
    return (await stat(folder.record)).mtimeMs;
  } catch (error) {
    // It is being deleted.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
