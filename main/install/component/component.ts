import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fileError } from '#proto/files/file-error.ts';
import type { Bundle } from '../bundle/bundle.ts';
import { hashContents } from '../bundle/contents.ts';
import type { Platform } from '../bundle/platform.ts';
import { packTar } from '../bundle/tar.ts';
import { type ComponentPackage, checkComponent } from './check-component.ts';
import { type ComponentFiles, componentFiles } from './component-files.ts';

/** An optional part of an installation, as one compressed file: libraries that tasks use when they are there. */
export interface Component extends Bundle {
  readonly package: ComponentPackage;
  /** Bytes of all files. */
  readonly unpackedSize: number;
}

const ID_LENGTH = 16;
const PREFIX = 'component-';
/** Of libraries of a gigabyte; a better compression takes minutes and saves a few percent. */
const COMPRESSION = 1;

/**
 * The component in a folder, for machines of this kind. It is packed at the first call, which takes a minute for a gigabyte, and kept in
 * `kept` for as long as nothing in it changes. Rejects as `checkComponent` does.
 */
export async function componentOf(folder: string, target: Platform, kept: string): Promise<Component> {
  const root = resolve(folder);
  const about = await checkComponent(root, target);
  const content = await componentFiles(root);
  const id = await idOf(content);
  const path = await packed(content, kept, `${PREFIX}${id}.tar.gz`);
  const sha256 = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) sha256.update(chunk);
  const unpackedSize = content.files.reduce((sum, { size }) => sum + size, 0);
  return { path, id, sha256: sha256.digest('hex'), size: (await stat(path)).size, package: about, unpackedSize };
}

/** Changes with any file or link. */
async function idOf({ files, links }: ComponentFiles): Promise<string> {
  const whole = createHash('sha256').update(await hashContents(files));
  for (const { name, target } of links) whole.update(`${name} ${target}\n`);
  return whole.digest('hex').slice(0, ID_LENGTH);
}

async function packed({ files, links }: ComponentFiles, kept: string, name: string): Promise<string> {
  const path = join(kept, name);
  await mkdir(kept, { recursive: true, mode: 0o700 });
  const before = await readdir(kept);
  if (before.includes(name)) return path;
  const archive = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await pipeline(packTar(files, links), createGzip({ level: COMPRESSION }), createWriteStream(archive, { mode: 0o600 }));
    await rename(archive, path);
  } catch (error) {
    await rm(archive, { force: true });
    throw fileError(`${path} cannot be made`, error);
  }
  const old = before.filter((file) => file.startsWith(PREFIX) && file.endsWith('.tar.gz'));
  await Promise.all(old.map((file) => rm(join(kept, file), { force: true })));
  return path;
}
