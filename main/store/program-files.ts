import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { withFileLock } from '#proto/files/file-lock.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { notFound } from '#proto/wire/status.ts';
import { uniqueName } from './program-name.ts';

export type ProgramFileKind = 'code' | 'graph' | 'graph-def';

const kinds: Readonly<Record<string, ProgramFileKind>> = {
  ts: 'code',
  js: 'code',
  'lanflow.json': 'graph',
  pb: 'graph-def',
  pbtxt: 'graph-def',
};

export type ProgramExtension = 'ts' | 'js' | 'lanflow.json' | 'pb' | 'pbtxt';

/** A program of the user's own on disk. */
export interface ProgramFile {
  readonly name: string;
  readonly kind: ProgramFileKind;
  readonly extension: ProgramExtension;
  readonly path: string;
  /** Differs when the content does. */
  readonly stamp: string;
}

const FILE = /^([\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}_-]*)\.(ts|js|lanflow\.json|pb|pbtxt)$/u;

/** The user's own programs as files of one folder, `NAME.EXTENSION`, shared by all Lanflow processes of a user. */
export class ProgramFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Sorted by name. Files that are no programs are left alone. */
  async list(): Promise<readonly ProgramFile[]> {
    const names = await this.#fileNames();
    const files = await Promise.all(names.map((name) => this.#describe(name)));
    return files.filter((file) => file !== undefined).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** NOT_FOUND when there is none of that name. */
  async find(name: string): Promise<ProgramFile> {
    const file = (await this.list()).find((each) => each.name === name);
    if (file) return file;
    throw notFound(`There is no program 'own/${name}' in ${this.folder}; it may have been deleted`);
  }

  read({ path }: ProgramFile): Promise<Uint8Array> {
    return readFile(path).catch((error: unknown) => {
      throw fileError(`${path} cannot be read`, error);
    });
  }

  /** Under this name, or one like it when it is taken. */
  async create(wanted: string, extension: ProgramExtension, content: string | Uint8Array): Promise<ProgramFile> {
    const name = await withFileLock(join(this.folder, 'create'), async () => {
      const taken = new Set((await this.list()).map((file) => file.name));
      const unique = uniqueName(wanted, taken);
      await writeFileAtomically(join(this.folder, `${unique}.${extension}`), content);
      return unique;
    });
    return this.find(name);
  }

  /** Replaces the content, whole or not at all. */
  async write(file: ProgramFile, content: string): Promise<ProgramFile> {
    await writeFileAtomically(file.path, content);
    return this.find(file.name);
  }

  async delete({ path }: ProgramFile): Promise<void> {
    await rm(path, { force: true }).catch((error: unknown) => {
      throw fileError(`${path} cannot be deleted`, error);
    });
  }

  async #fileNames(): Promise<readonly string[]> {
    try {
      return await readdir(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw fileError(`${this.folder} cannot be read`, error);
    }
  }

  async #describe(fileName: string): Promise<ProgramFile | undefined> {
    const [, name, extension] = FILE.exec(fileName.normalize('NFC')) ?? [];
    const kind = kinds[extension ?? ''];
    if (name === undefined || !kind) return undefined;
    const path = join(this.folder, fileName);
    try {
      const { mtimeMs, size } = await stat(path);
      // The pattern lets these extensions through only.
      return { name, kind, extension: extension as ProgramExtension, path, stamp: `${mtimeMs} ${size}` };
    } catch (error) {
      // Deleted in this moment.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw fileError(`${path} cannot be read`, error);
    }
  }
}
