import { readFile, rename } from 'node:fs/promises';
import { fileError } from '#proto/files/file-error.ts';
import { withFileLock } from '#proto/files/file-lock.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import type { Shape } from '#proto/ipc/shape.ts';
import { failedPrecondition, toStatusError } from '#proto/wire/status.ts';

export interface VersionedFileOptions<T> {
  readonly path: string;
  /** Of the format; grows when `shape` no longer reads what was written before. */
  readonly version: number;
  readonly shape: Shape<T>;
  readonly initial: T;
  readonly log: (line: string) => void;
}

/**
 * One value as JSON on disk, shared by all Lanflow processes of a user. A file that cannot be read is kept aside under another
 * name, with a line in the log, and the initial value takes its place.
 */
export class VersionedFile<T> {
  readonly #options: VersionedFileOptions<T>;

  constructor(options: VersionedFileOptions<T>) {
    this.#options = options;
  }

  async read(): Promise<T> {
    const { path, initial } = this.#options;
    const content = await readIfThere(path);
    if (content === undefined) return initial;
    try {
      return this.#parse(content);
    } catch (error) {
      await this.#keepAside(toStatusError(error).message);
      return initial;
    }
  }

  /** Changes the newest value, whoever wrote it; resolves to what was written. */
  update(change: (value: T) => T): Promise<T> {
    const { path, version } = this.#options;
    return withFileLock(path, async () => {
      const content = change(await this.read());
      await writeFileAtomically(path, `${JSON.stringify({ version, content }, undefined, 2)}\n`);
      return content;
    });
  }

  #parse(json: string): T {
    const { path, version, shape } = this.#options;
    const file = JSON.parse(json) as { version?: unknown; content?: unknown } | null;
    if (file?.version !== version) throw failedPrecondition(`it has version ${file?.version}, not ${version}`);
    return shape(file.content, path);
  }

  async #keepAside(reason: string): Promise<void> {
    const { path, log } = this.#options;
    const aside = `${path}.unreadable-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    await rename(path, aside);
    log(`${path} cannot be used (${reason}). It is kept as ${aside}; defaults are used instead.`);
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileError(`${path} cannot be read`, error);
  }
}
