import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fileError } from '#proto/files/file-error.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import { type BundleSource, hashContents, listContents } from './contents.ts';
import { compressLarge } from './large-files.ts';
import { nodeIn, type Platform, platformName } from './platform.ts';
import { copyWithoutSymbols } from './symbols.ts';
import { packTar, type TarEntry } from './tar.ts';

/** All that a machine needs to run agent and tasks, as one compressed file. */
export interface Bundle {
  readonly path: string;
  /** Of its content: names the version there. */
  readonly id: string;
  /** sha256 of the file, in hex. */
  readonly sha256: string;
  /** Bytes of the file. */
  readonly size: number;
}

export interface BundleEnv {
  readonly source: BundleSource;
  /** Bundles that were made are kept here; one for each platform. */
  readonly folder: string;
  /** Bundles that this Lanflow has brought, for machines of other kinds; it may lack. */
  readonly shipped: string;
  readonly version: string;
}

const ID_LENGTH = 16;
const BUNDLE_END = /^[0-9a-f]{16}\.tar\.gz$/;

/**
 * The bundle for a platform. It is made at the first call, in some ten seconds, and kept for as long as nothing in it changes. For
 * another platform than this machine's a file is taken that was made before (`npm run bundles`); FAILED_PRECONDITION says how when there
 * is none.
 */
export async function bundleFor(target: Platform, env: BundleEnv): Promise<Bundle> {
  const isOwn = platformName(target) === platformName(env.source.platform);
  const path = isOwn ? await makeOwn(env) : await findForeign(target, env);
  const sha256 = createHash('sha256');
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) sha256.update(chunk);
  return { path, id: idOf(path), sha256: sha256.digest('hex'), size: (await stat(path)).size };
}

async function makeOwn({ source, folder, version }: BundleEnv): Promise<string> {
  const node: TarEntry = { name: nodeIn(source.platform), isExecutable: true, size: (await stat(source.node)).size, source: source.node };
  const entries = [...(await listContents(source)), node];
  const prefix = namePrefix(source.platform, version);
  const name = `${prefix}${(await hashContents(entries)).slice(0, ID_LENGTH)}.tar.gz`;
  const path = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const before = await readdir(folder);
  if (before.includes(name)) return path;
  await writeArchive(entries, node, path);
  // Another Lanflow may be reading one of those: it has it open.
  const old = before.filter((file) => file.startsWith(prefix) && file.endsWith('.tar.gz'));
  await Promise.all(old.map((file) => rm(join(folder, file), { force: true })));
  return path;
}

async function writeArchive(entries: readonly TarEntry[], node: TarEntry, path: string): Promise<void> {
  const work = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  const archive = join(work, 'archive');
  try {
    await mkdir(work);
    const program = { ...node, source: join(work, 'node') };
    await copyWithoutSymbols(node.source, program.source);
    const others = entries.filter((entry) => entry !== node).map((entry, index) => compressLarge(entry, join(work, String(index))));
    await pipeline(packTar([...(await Promise.all(others)), program]), createGzip(), createWriteStream(archive, { mode: 0o600 }));
    await rename(archive, path);
  } catch (error) {
    throw fileError(`${path} cannot be made`, error);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** What the user has put into the folder counts before what was shipped. */
async function findForeign(target: Platform, { folder, shipped, version }: BundleEnv): Promise<string> {
  const prefix = namePrefix(target, version);
  for (const place of [folder, shipped]) {
    const name = (await namesIn(place)).find((file) => file.startsWith(prefix) && BUNDLE_END.test(file.slice(prefix.length)));
    if (name !== undefined) return join(place, name);
  }
  throw failedPrecondition(
    `There is no Lanflow for ${platformName(target)} here. Make one with 'npm run bundles -- --platform ${platformName(target)}' in a ` +
      `clone of Lanflow ${version}, or with 'lanflow install --make-bundle' on such a machine, and copy the file that it names into ${folder}`,
  );
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    throw fileError(`${folder} cannot be read`, error);
  });
}

function namePrefix(platform: Platform, version: string): string {
  return `lanflow-${version}-${platformName(platform)}-`;
}

function idOf(path: string): string {
  return path.slice(-'.tar.gz'.length - ID_LENGTH, -'.tar.gz'.length);
}
