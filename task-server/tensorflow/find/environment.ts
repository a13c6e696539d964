import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { libraryAt } from './library.ts';
import { findPackage, siteFolders } from './site-packages.ts';
import type { TensorFlowPlace } from './tensorflow-place.ts';

/** TensorFlow in the folder of a Python or conda environment, whose layout is known: no Python needs to run. */
export async function placeInEnvironment(folder: string, platform: NodeJS.Platform): Promise<TensorFlowPlace | undefined> {
  const found = await findPackage(await siteFolders(folder, platform));
  if (!found) return undefined;
  const python = interpreters(folder, platform).find((path) => existsSync(path));
  return { version: found.version, title: titleOf(folder), path: folder, library: libraryAt(found.folder), python };
}

/** What people who work with it call it. */
export function titleOf(folder: string): string {
  const name = basename(folder);
  if (existsSync(join(folder, 'conda-meta'))) return `conda: ${existsSync(join(folder, 'condabin')) ? 'base' : name}`;
  return existsSync(join(folder, 'pyvenv.cfg')) ? `venv: ${name}` : 'Python';
}

/** Those of a venv first, then of conda, which differ on Windows only. */
function interpreters(folder: string, platform: NodeJS.Platform): readonly string[] {
  if (platform === 'win32') return [join(folder, 'Scripts', 'python.exe'), join(folder, 'python.exe')];
  return [join(folder, 'bin', 'python'), join(folder, 'bin', 'python3')];
}
