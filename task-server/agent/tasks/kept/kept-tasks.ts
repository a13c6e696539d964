import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type { LineListener, TaskFacts } from '../task-runner.ts';
import { taskId } from '../task-setup.ts';
import { type KeptFiles, KeptRunner } from './kept-runner.ts';
import { bootId } from './process-mark.ts';
import { readRecord, type TaskRecord } from './task-record.ts';

/** A task that an agent before this one has left. */
export interface LeftTask {
  readonly id: string;
  readonly facts: TaskFacts;
  /** What has become of its process, where that is gone. */
  readonly fate: string;
  runner(onLine: LineListener): KeptRunner;
}

export interface KeptTasksEnv {
  /** Of the agent. */
  readonly folder: string;
  readonly warn: (text: string) => void;
  /** Lines that are kept of each at least. */
  readonly keptLines: number;
}

const [RECORD, LOG] = ['.json', '.log'];

/** The records and logs of all tasks that outlive their agent, in a folder of their own. */
export class KeptTasks {
  readonly #env: KeptTasksEnv;
  readonly #folder: string;
  #isOpen = false;

  constructor(env: KeptTasksEnv) {
    this.#env = env;
    this.#folder = join(env.folder, 'tasks');
  }

  /** For a task that is new. */
  runnerOf(id: string, onLine: LineListener): KeptRunner {
    return new KeptRunner(this.#runnerEnv(id, onLine));
  }

  /** What the agent before has left. A record that cannot be used is named in the log, and stays. */
  async open(): Promise<readonly LeftTask[]> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw fileError(`${this.#folder} cannot be made`, error);
    }
    this.#isOpen = true;
    const names = await readdir(this.#folder);
    await Promise.all(halves(names).map((name) => rm(join(this.#folder, name), { force: true })));
    const found = names.filter((name) => name.endsWith(RECORD)).map((name) => this.#read(join(this.#folder, name)));
    return (await Promise.all(found)).flat();
  }

  /** Leaves nothing where no task is left. */
  async close(): Promise<void> {
    if (!this.#isOpen) return;
    await rmdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY') this.#env.warn(fileError(`${this.#folder} cannot be removed`, error).message);
    });
  }

  async #read(path: string): Promise<readonly LeftTask[]> {
    try {
      const record = await readRecord(path);
      const id = taskId(record.facts.setup);
      const runner = (onLine: LineListener) => new KeptRunner(this.#runnerEnv(id, onLine), record);
      return [{ id, facts: record.facts, fate: fateOf(record), runner }];
    } catch (error) {
      this.#env.warn(`a task is left alone: ${toStatusError(error).message}`);
      return [];
    }
  }

  #runnerEnv(id: string, onLine: LineListener) {
    const { warn, keptLines } = this.#env;
    return { files: this.#filesOf(id), onLine, warn, keptLines };
  }

  /** An id may be longer than a name can be. */
  #filesOf(id: string): KeptFiles {
    const name = join(this.#folder, createHash('sha256').update(id).digest('hex').slice(0, 32));
    return { record: `${name}${RECORD}`, log: `${name}${LOG}` };
  }
}

/** What an agent that was killed was about to write, or to remove. */
function halves(names: readonly string[]): readonly string[] {
  return names.filter((name) => name.endsWith('.tmp') || (name.endsWith(LOG) && !names.includes(name.replace(LOG, RECORD))));
}

function fateOf({ process }: TaskRecord): string {
  const isOfThisBoot = process === undefined || process.mark.boot === bootId();
  return isOfThisBoot ? 'its process has ended while no agent watched it' : 'its machine was started anew';
}
