import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { toStatusError } from '#proto/wire/status.ts';
import { listensAt } from '../start-up.ts';
import type { Launch, TaskProcess } from '../task-process.ts';
import { checkProgram, type LineListener, type TaskFacts, type TaskRunner } from '../task-runner.ts';
import { KeptProcess } from './kept-process.ts';
import { LogFile, type LogMark } from './log-file.ts';
import { isThere } from './process-mark.ts';
import { type RecordedProcess, type TaskRecord, writeRecord } from './task-record.ts';

/** Of one task. */
export interface KeptFiles {
  readonly record: string;
  readonly log: string;
}

export interface KeptRunnerEnv {
  readonly files: KeptFiles;
  readonly onLine: LineListener;
  readonly warn: (text: string) => void;
  /** Lines that are kept at least. */
  readonly keptLines: number;
}

const BEGIN: LogMark = { offset: 0, number: 0, time: 0 };

/** A task that goes on when the agent ends, with a record by which the next agent knows it. */
export class KeptRunner implements TaskRunner {
  readonly #env: KeptRunnerEnv;
  readonly #left: TaskRecord | undefined;
  #facts: TaskFacts | undefined;
  #recorded: RecordedProcess | undefined;
  #process: KeptProcess | undefined;
  #begin: LogMark;
  readonly #log: LogFile;
  #isForgotten = false;
  #writing: Promise<unknown> = Promise.resolve();
  /** One that has not begun. */
  #nextWrite: Promise<void> | undefined;

  /** `left`: what an agent before this one has left of the task. */
  constructor(env: KeptRunnerEnv, left?: TaskRecord) {
    this.#env = env;
    this.#left = left;
    this.#facts = left?.facts;
    this.#begin = left?.log ?? BEGIN;
    this.#log = new LogFile(this.#logEnv(this.#begin));
  }

  async recover(): Promise<TaskProcess | undefined> {
    const recorded = this.#left?.process;
    if (recorded && isThere(recorded.mark)) {
      this.#hold(KeptProcess.adopt({ ...recorded, drain: () => this.#log.drain() }), recorded);
    }
    await this.#log.catchUp();
    this.#log.follow();
    return this.#process;
  }

  launch(launch: Launch): TaskProcess {
    checkProgram(launch);
    const { process: launched, begin } = this.#spawn(launch);
    this.#log.follow();
    this.#hold(launched, { mark: launched.mark, address: '', firstLine: this.#log.next });
    void this.#write().then(
      () => begin(),
      (error: unknown) => {
        launched.startUp.hasFailed(toStatusError(error));
        launched.signal('SIGKILL');
      },
    );
    return launched;
  }

  note(line: string): void {
    void this.#log.note(line);
  }

  keep(facts: TaskFacts): Promise<void> {
    this.#facts = facts;
    return this.#writeOrWarn();
  }

  async forget(): Promise<void> {
    this.#isForgotten = true;
    await Promise.all([this.#writing, this.#log.close()]);
    const { record, log } = this.#env.files;
    await Promise.all([record, log].map((path) => rm(path, { force: true })));
  }

  async leave(): Promise<void> {
    this.#process?.leave();
    await this.#log.close();
    await this.#writing;
  }

  #spawn(launch: Launch) {
    const output = openSync(this.#env.files.log, 'a', 0o600);
    try {
      return KeptProcess.launch({ ...launch, output, drain: () => this.#log.drain() });
    } finally {
      closeSync(output);
    }
  }

  #hold(held: KeptProcess, recorded: RecordedProcess): void {
    this.#process = held;
    this.#recorded = recorded;
    void held.ready.then(
      (address) => this.#record(held, { ...recorded, address }),
      () => undefined,
    );
    void held.ended.then(() => this.#record(held, undefined));
  }

  #record(held: KeptProcess, recorded: RecordedProcess | undefined): void {
    if (this.#process !== held) return;
    this.#recorded = recorded;
    if (!recorded) this.#process = undefined;
    void this.#writeOrWarn();
  }

  #logEnv(begin: LogMark) {
    const { files, warn, keptLines } = this.#env;
    return {
      ...{ path: files.log, begin, warn, kept: keptLines },
      onLine: (line: string, time: number) => this.#hear(line, time),
      onBegin: (mark: LogMark) => {
        this.#begin = mark;
        return this.#write();
      },
    };
  }

  /** Whether it is a line of the log. */
  #hear(line: string, time: number): boolean {
    const address = listensAt(line);
    if (address === undefined) {
      this.#process?.startUp.hear(line);
      this.#env.onLine(line, time);
      return true;
    }
    // Those before it have said that they listen, too.
    if (this.#recorded && this.#log.next >= this.#recorded.firstLine) this.#process?.startUp.listens(address);
    return false;
  }

  /** Never rejects: the task itself is well. */
  async #writeOrWarn(): Promise<void> {
    try {
      await this.#write();
    } catch (error) {
      this.#env.warn(`${toStatusError(error).message}; the next agent will not know how the task fares`);
    }
  }

  /** Resolves when all that is known by now is on the disk. */
  #write(): Promise<void> {
    this.#nextWrite ??= this.#writing.then(async () => {
      this.#nextWrite = undefined;
      if (this.#isForgotten || !this.#facts) return;
      await writeRecord(this.#env.files.record, { facts: this.#facts, process: this.#recorded, log: this.#begin });
    });
    const written = this.#nextWrite;
    this.#writing = written.catch(() => undefined);
    return written;
  }
}
