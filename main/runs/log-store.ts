import { createReadStream } from 'node:fs';
import type { LogLine, LogPage } from '#proto/ipc/contract.ts';
import { integer, number, object, oneOf, text } from '#proto/ipc/shape.ts';
import { AppendFile } from './append-file.ts';

/** Most lines of one page. */
const PAGE_LINES = 2000;
/** Where every so many-th line begins in the file is remembered; a page begins at the one before it. */
const STRIDE = 256;
const MAX_TEXT = 20_000;
const NEWLINE = 0x0a;

const lineShape = object<LogLine>({
  number: integer(0, Number.MAX_SAFE_INTEGER),
  time: number,
  source: text(),
  kind: oneOf('client', 'task', 'wait', 'progress', 'error'),
  text: text({ max: MAX_TEXT + 1 }),
});

/** The log of one run: a line of JSON for each line, on disk; only what is not written yet is in memory. */
export class LogStore {
  readonly #path: string;
  readonly #file: AppendFile;
  readonly #offsets: number[] = [];
  #bytes = 0;
  #total = 0;
  #inFile = 0;
  #pending: LogLine[] = [];

  constructor(path: string) {
    this.#path = path;
    this.#file = new AppendFile(path);
  }

  /** The log that another process wrote. A last line that is not whole is left out. */
  static async load(path: string): Promise<LogStore> {
    const store = new LogStore(path);
    for await (const { size } of rawLines(path, 0)) store.#count(size);
    store.#inFile = store.#total;
    return store;
  }

  /** Reads on in the log that another process writes. Gives the lines that are new. */
  async catchUp(): Promise<readonly LogLine[]> {
    const lines: LogLine[] = [];
    for await (const { content, size } of rawLines(this.#path, this.#bytes)) {
      lines.push(this.#parse(content, this.#total));
      this.#count(size);
      this.#inFile = this.#total;
    }
    return lines;
  }

  get total(): number {
    return this.#total;
  }

  /** Numbers the line. A text that is far too long is cut. */
  append(line: Omit<LogLine, 'number'>): LogLine {
    const cut = line.text.length > MAX_TEXT ? `${line.text.slice(0, MAX_TEXT)}…` : line.text;
    const numbered = { ...line, text: cut, number: this.#total };
    const bytes = Buffer.from(`${JSON.stringify(numbered)}\n`);
    this.#count(bytes.length);
    this.#file.append(bytes);
    this.#pending.push(numbered);
    return numbered;
  }

  async flush(): Promise<void> {
    const upTo = this.#total;
    await this.#file.flush();
    this.#pending = this.#pending.filter(({ number: each }) => each >= upTo);
    this.#inFile = Math.max(this.#inFile, upTo);
  }

  async close(): Promise<void> {
    const upTo = this.#total;
    await this.#file.close();
    this.#pending = [];
    this.#inFile = upTo;
  }

  /** Lines from number `from` on, as many as a page holds. */
  async page(from: number): Promise<LogPage> {
    const [total, inFile, pending] = [this.#total, this.#inFile, this.#pending];
    const end = Math.min(total, from + PAGE_LINES);
    const fromFile = from < inFile ? await this.#read(from, Math.min(end, inFile)) : [];
    const fromMemory = pending.filter(({ number: each }) => each >= Math.max(from, inFile) && each < end);
    return { lines: [...fromFile, ...fromMemory], total };
  }

  async #read(from: number, to: number): Promise<LogLine[]> {
    const block = Math.floor(from / STRIDE);
    const lines: LogLine[] = [];
    let current = block * STRIDE;
    for await (const { content } of rawLines(this.#path, this.#offsets[block] ?? 0)) {
      if (current >= to) break;
      if (current >= from) lines.push(this.#parse(content, current));
      current++;
    }
    return lines;
  }

  #parse(content: string, number: number): LogLine {
    return { ...lineShape(JSON.parse(content), `${this.#path} line ${number + 1}`), number };
  }

  #count(bytes: number): void {
    if (this.#total % STRIDE === 0) this.#offsets.push(this.#bytes);
    this.#bytes += bytes;
    this.#total++;
  }
}

/** Whole lines from a place in the file on; none when there is no file. `size` counts the newline. */
async function* rawLines(path: string, start: number): AsyncGenerator<{ readonly content: string; readonly size: number }> {
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(path, { start }) as AsyncIterable<Buffer>) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      let from = 0;
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
        yield { content: bytes.toString('utf8', from, end), size: end + 1 - from };
        from = end + 1;
      }
      rest = bytes.subarray(from);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
