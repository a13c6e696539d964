import { type FileHandle, open } from 'node:fs/promises';

/**
 * A file that only grows. What could not be written (the disk is full) stays in memory, and the next `flush` tries again: nothing
 * is lost or written twice. Made by its first `flush`, readable by this user only.
 */
export class AppendFile {
  readonly #path: string;
  #file: FileHandle | undefined;
  #pending: Uint8Array[] = [];
  #written = 0;
  #flushing: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Bytes that are in the file. */
  get written(): number {
    return this.#written;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#pending.push(bytes);
  }

  /** Resolves when everything appended before is in the file; rejects with the error of the file system. */
  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#write());
    this.#flushing = flushed.catch(() => undefined);
    return flushed;
  }

  /** Writes what is left and gives the file back. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#file?.close();
      this.#file = undefined;
    }
  }

  async #write(): Promise<void> {
    const chunks = this.#pending.length;
    if (chunks === 0) return;
    this.#file ??= await open(this.#path, 'wx', 0o600);
    const bytes = Buffer.concat(this.#pending.slice(0, chunks));
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#written + done);
      done += bytesWritten;
    }
    this.#written += bytes.length;
    this.#pending = this.#pending.slice(chunks);
  }
}
