import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { failedPrecondition, notFound } from '#proto/wire/status.ts';
import { type Platform, platformName } from './platform.ts';
import type { TarEntry } from './tar.ts';

/** Where a bundle is made from: what this process runs from itself. */
export interface BundleSource {
  /** Holds `dist` and `node_modules`. */
  readonly root: string;
  /** A Node that needs no other files. */
  readonly node: string;
  readonly platform: Platform;
}

/** Which files of which packages a task server needs, by platform; made by the build from what is packaged. */
const PACKAGES_FILE = 'dist/task-server/packages.json';

interface PackageFiles {
  readonly name: string;
  readonly files: readonly string[];
  /** What it does is done more slowly without it. */
  readonly isOptional?: boolean;
}

const LICENCES = /^(licen[cs]e|notice|thirdparty)/i;

/** This process's own. FAILED_PRECONDITION when its Node cannot be given to other machines. */
export function ownSource(root: string): BundleSource {
  const isShared: unknown = Reflect.get(process.config.variables, 'node_shared');
  if (process.versions['electron'] !== undefined || isShared) {
    throw failedPrecondition(
      `${process.execPath} runs on this machine only, so it cannot be installed on others. Use the packaged app, or Lanflow with a Node of nodejs.org`,
    );
  }
  return { root, node: process.execPath, platform: { platform: process.platform, arch: process.arch } };
}

/** All files of a bundle by name, without the Node. NOT_FOUND when something is not built or not installed. */
export async function listContents({ root, platform }: BundleSource): Promise<readonly TarEntry[]> {
  const list = await readPackages(join(root, PACKAGES_FILE));
  const packages = list[platformName(platform)];
  if (!packages) throw failedPrecondition(`Lanflow has no parts for ${platformName(platform)}`);
  const programs = ['index.js', 'agent.js', 'device-thread.js', 'tensorflow'].map((name) => `dist/task-server/${name}`);
  const paths = [...programs, ...(await Promise.all(packages.map((each) => packagePaths(root, each)))).flat()];
  const entries = await Promise.all(['package.json', ...paths].map((path) => entriesUnder(root, path)));
  return entries.flat().sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Changes with any file, its name or its being executable. */
export async function hashContents(entries: readonly TarEntry[]): Promise<string> {
  const whole = createHash('sha256');
  for (const { name, isExecutable, source } of entries) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(source) as AsyncIterable<Buffer>) hash.update(chunk);
    whole.update(`${name} ${isExecutable ? 'x' : '-'} ${hash.digest('hex')}\n`);
  }
  return whole.digest('hex');
}

async function readPackages(path: string): Promise<Readonly<Record<string, readonly PackageFiles[]>>> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw fileError(`${path} cannot be read`, error);
  }
}

/** What is packed of a package, with its licences. */
async function packagePaths(root: string, { name, files, isOptional = false }: PackageFiles): Promise<readonly string[]> {
  const folder = `node_modules/${name}`;
  const isThere = existsSync(join(root, folder));
  if (!isThere && isOptional) return [];
  if (!isThere) throw notFound(`The package ${name} is not in ${join(root, 'node_modules')}; install Lanflow again`);
  const licences = (await readdir(join(root, folder))).filter((file) => LICENCES.test(file));
  return files.includes('.') ? [folder] : ['package.json', ...licences, ...files].map((file) => `${folder}/${file}`);
}

async function entriesUnder(root: string, path: string): Promise<readonly TarEntry[]> {
  const source = join(root, path);
  const facts = await stat(source).catch((error: unknown) => {
    throw fileError(`${source} cannot be packed`, error);
  });
  if (!facts.isDirectory()) return [{ name: path, isExecutable: (facts.mode & 0o100) !== 0, size: facts.size, source }];
  const inside = await Promise.all((await readdir(source)).map((name) => entriesUnder(root, `${path}/${name}`)));
  return inside.flat();
}
