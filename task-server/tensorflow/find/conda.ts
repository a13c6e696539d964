import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { linesOf, namesIn } from './read-list.ts';
import type { FindEnv } from './tensorflow-place.ts';

/** As the installers of conda's distributions call their folders. */
const BASES = ['conda', 'miniconda3', 'anaconda3', 'miniforge3', 'mambaforge', 'micromamba'];

/** Folders in which conda may be installed, whether one is there or not: a service does not have the variables of a user's shell. */
function condaBases({ variables, home, sharedFolders }: FindEnv): readonly string[] {
  // `…/bin/conda`, or `…\Scripts\conda.exe`
  const program = variables['CONDA_EXE'];
  const named = [variables['MAMBA_ROOT_PREFIX'] || [], program ? dirname(dirname(program)) : []].flat();
  const usual = [home, ...sharedFolders].flatMap((folder) => BASES.map((name) => join(folder, name)));
  return [...new Set([...named, ...usual])];
}

/** Environments of conda on this machine: each base with those in it, then those that conda has noted elsewhere. */
export async function condaEnvironments(env: FindEnv): Promise<readonly string[]> {
  const own = join(env.home, '.conda');
  const below = await Promise.all(condaBases(env).map(async (base) => [base, ...(await childrenOf(join(base, 'envs')))]));
  const noted = await linesOf(join(own, 'environments.txt'));
  const all = [...below.flat(), ...(await childrenOf(join(own, 'envs'))), ...noted].map((folder) => resolve(folder));
  return [...new Set(all)].filter((folder) => existsSync(join(folder, 'conda-meta')));
}

async function childrenOf(folder: string): Promise<readonly string[]> {
  return (await namesIn(folder)).map((name) => join(folder, name)).sort();
}
