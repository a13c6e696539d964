import { appendFile, type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { Lines } from './lines.ts';
import { punchHole } from './punch-hole.ts';

/** A place in a log file where a line begins. */
export interface LogMark {
  /** Bytes. */
  readonly offset: number;
  /** The line's number. */
  readonly number: number;
  /** When the line before was read; Unix epoch in milliseconds. */
  readonly time: number;
}

export interface LogFileEnv {
  readonly path: string;
  /** Where what is kept begins. */
  readonly begin: LogMark;
  /** Hears every line once; false when it is none of the log. */
  readonly onLine: (line: string, time: number) => boolean;
  /** What comes before is about to be given up. */
  readonly onBegin: (begin: LogMark) => Promise<void>;
  readonly warn: (text: string) => void;
  /** Lines that are kept at least. */
  readonly kept: number;
}

const READ_BYTES = 65_536;
const EVERY_MS = 100;
/** Lines between two places that are remembered. */
const BLOCK = 1000;
/** So much more than needed is there before it is given up. */
const SPARE_BYTES = 1 << 20;
/** However long its lines are. */
const MOST_BYTES = 64 << 20;

/**
 * What a task says, as a file: it goes on to write while no agent reads. Lines are numbered by their place in the file, so that every
 * agent gives them the same numbers. Old ones give their place on the disk back while the file's bytes keep their offsets.
 */
export class LogFile {
  readonly #env: LogFileEnv;
  readonly #buffer = Buffer.alloc(READ_BYTES);
  #lines = new Lines();
  #file: FileHandle | undefined;
  #begin: LogMark;
  /** Where the next line begins. */
  #end: LogMark;
  /** Later places that the kept part may begin at. */
  #marks: LogMark[] = [];
  #position: number;
  #isOld = false;
  #work: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(env: LogFileEnv) {
    this.#env = env;
    this.#begin = env.begin;
    this.#end = env.begin;
    this.#position = env.begin.offset;
  }

  /** For one that was there before: resolves when all that is in it has been heard. */
  catchUp(): Promise<void> {
    return this.#inTurn(async () => {
      // A file that was taken away or emptied by somebody begins anew.
      if ((await sizeOf(this.#env.path)) < this.#position) this.#beginAnew();
      this.#isOld = true;
      await this.#readOn().finally(() => {
        this.#isOld = false;
      });
    });
  }

  /** Number of the next line. */
  get next(): number {
    return this.#end.number;
  }

  follow(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.drain().then(() => this.#timer && this.follow()), EVERY_MS);
  }

  /** Resolves when all that is there by now has been heard. */
  drain(): Promise<void> {
    return this.#inTurn(() => this.#readOn());
  }

  /** Puts in a line of its own. */
  note(line: string): Promise<void> {
    return this.#inTurn(async () => {
      await this.#readOn();
      // A process that was killed may have left half a line.
      await appendFile(this.#env.path, `${this.#lines.isWithin ? '\n' : ''}${line.replaceAll('\n', ' ')}\n`, { mode: 0o600 });
      await this.#readOn();
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#inTurn(async () => {
      await this.#file?.close();
      this.#file = undefined;
    });
  }

  /** Never rejects: a log that cannot be read is no reason to end a task. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work).catch((error: unknown) => this.#env.warn(`${this.#env.path}: ${String(error)}`));
    this.#work = done;
    return done;
  }

  async #readOn(): Promise<void> {
    this.#file ??= await openThere(this.#env.path);
    if (!this.#file) return;
    for (;;) {
      const { bytesRead } = await this.#file.read(this.#buffer, 0, READ_BYTES, this.#position);
      if (bytesRead === 0) break;
      this.#position += bytesRead;
      for (const { text, end } of this.#lines.split(this.#buffer.subarray(0, bytesRead), this.#position)) this.#hear(text, end);
    }
    await this.#shorten();
  }

  #hear(text: string, offset: number): void {
    const time = this.#isOld ? (timeIn(text) ?? this.#end.time) : Date.now();
    const isCounted = this.#env.onLine(text, time);
    this.#end = { offset, number: this.#end.number + (isCounted ? 1 : 0), time };
    if (isCounted && this.#end.number % BLOCK === 0) this.#marks.push(this.#end);
  }

  async #shorten(): Promise<void> {
    const { kept, path, onBegin } = this.#env;
    const begin = this.#marks.findLast(({ number, offset }) => this.#end.number - number >= kept || this.#end.offset - offset > MOST_BYTES);
    if (!begin || begin.offset - this.#begin.offset < SPARE_BYTES) return;
    this.#begin = begin;
    this.#marks = this.#marks.filter(({ number }) => number > begin.number);
    await onBegin(begin);
    if ((await punchHole(path, begin.offset)) || this.#position < MOST_BYTES) return;
    // A line that is written in this very moment is lost; a full disk would be worse.
    await onBegin({ ...this.#end, offset: 0 });
    await truncate(path);
    this.#beginAnew();
  }

  #beginAnew(): void {
    this.#position = 0;
    this.#end = { ...this.#end, offset: 0 };
    this.#begin = this.#end;
    this.#marks = [];
  }
}

async function openThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Our own lines begin with their time; those of others are as old as the line before. */
function timeIn(text: string): number | undefined {
  const [time] = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z(?= )/.exec(text) ?? [];
  return time === undefined ? undefined : Date.parse(time);
}
