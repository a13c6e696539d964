import { readdir, readlink, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { TarEntry, TarLink } from '../bundle/tar.ts';

/** All that is in a component, with links kept as such: a library of a gigabyte often has three names. */
export interface ComponentFiles {
  readonly files: readonly TarEntry[];
  readonly links: readonly TarLink[];
}

/** Only what tasks load: libraries for the system's linker, and packages. */
const FOLDERS = ['lib', 'node_modules'];

/** In the order of their names. INVALID_ARGUMENT when a link leads out of the folder: on another machine it would lead nowhere. */
export async function componentFiles(folder: string): Promise<ComponentFiles> {
  const present = (await readdir(folder)).filter((name) => FOLDERS.includes(name)).sort();
  const parts = await Promise.all(present.map((name) => filesUnder(folder, name)));
  return { files: parts.flatMap(({ files }) => files), links: parts.flatMap(({ links }) => links) };
}

async function filesUnder(root: string, path: string): Promise<ComponentFiles> {
  const children = (await readdir(join(root, path), { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts = await Promise.all(
    children.map(async (child): Promise<ComponentFiles> => {
      const name = `${path}/${child.name}`;
      if (child.isDirectory()) return filesUnder(root, name);
      if (child.isSymbolicLink()) return { files: [], links: [{ name, target: await linkTarget(root, name) }] };
      return { files: child.isFile() ? [await fileEntry(root, name)] : [], links: [] };
    }),
  );
  return { files: parts.flatMap(({ files }) => files), links: parts.flatMap(({ links }) => links) };
}

async function fileEntry(root: string, name: string): Promise<TarEntry> {
  const source = join(root, name);
  try {
    const { mode, size } = await stat(source);
    return { name, isExecutable: (mode & 0o100) !== 0, size, source };
  } catch (error) {
    throw fileError(`${source} cannot be packed`, error);
  }
}

async function linkTarget(root: string, name: string): Promise<string> {
  const target = await readlink(join(root, name));
  const leadsTo = relative(root, resolve(root, dirname(name), target));
  if (!isAbsolute(target) && !leadsTo.startsWith('..')) return target;
  throw invalidArgument(`${join(root, name)} is a link out of the component, to ${target}; put the file itself there`);
}
