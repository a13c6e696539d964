import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { condaEnvironments } from './conda.ts';
import { placeInEnvironment } from './environment.ts';
import { Interpreters } from './interpreter.ts';
import { libraryAt, libraryPlace, tfjsPlaces } from './library.ts';
import { linesOf } from './read-list.ts';
import type { FindEnv, TensorFlowPlace } from './tensorflow-place.ts';

export type { FindEnv, TensorFlowPlace } from './tensorflow-place.ts';

/** A Python to look at: its program, or the folder of its environment. */
interface Candidate {
  readonly path: string;
  /** Who has named it: a variable or a file. */
  readonly source: string;
}

/** This process's own surroundings, with these variables. */
export function findEnvOf(variables: FindEnv['variables']): FindEnv {
  const { platform } = process;
  const sharedFolders = platform === 'win32' ? [variables['ProgramData'], variables['LOCALAPPDATA']] : ['/opt'];
  return {
    variables,
    platform,
    home: homedir(),
    sharedFolders: sharedFolders.filter((folder) => folder !== undefined),
    placeholders: platform === 'darwin' ? ['/usr/bin/python3'] : [],
  };
}

/** Where a user lists environments, or programs of Python, that are found nowhere else. */
export function environmentsFile({ LANFLOW_DATA: folder = '' }: FindEnv['variables']): string {
  return join(folder, 'environments.txt');
}

/** Finds TensorFlow on this machine, by looking at files. May be asked again and again: what was expensive is remembered. */
export class TensorFlowFinder {
  readonly #env: FindEnv;
  readonly #interpreters: Interpreters;

  constructor(env: FindEnv) {
    this.#env = env;
    this.#interpreters = new Interpreters(env);
  }

  /**
   * What is there, best first, looked for as far as it is asked for. An explicit library is used or reported, never passed over in
   * silence; without one every usual place is searched. Notes in `looked` what was looked for and where.
   */
  async *places(looked: string[], explicit?: string): AsyncGenerator<TensorFlowPlace> {
    const given = explicit ?? this.#env.variables['LANFLOW_LIBTENSORFLOW'];
    if (given) {
      const library = libraryAt(given);
      if (library) yield libraryPlace(library, 'libtensorflow');
      else looked.push(`libtensorflow at ${given}`);
      return;
    }
    const seen = new Set<string>();
    for await (const place of this.#everywhere(looked)) {
      if (!seen.has(place.path)) yield place;
      seen.add(place.path);
    }
  }

  async *#everywhere(looked: string[]): AsyncGenerator<TensorFlowPlace> {
    for (const { path, source } of await this.#candidates()) {
      looked.push(`the tensorflow package of Python ${path} (${source})`);
      const place = await this.#placeAt(path);
      if (place) yield place;
    }
    const environments = await condaEnvironments(this.#env);
    looked.push(`the tensorflow package of conda (${environments.join(', ') || 'no environments'})`);
    for (const folder of environments) {
      const place = await placeInEnvironment(folder, this.#env.platform);
      if (place) yield place;
    }
    yield* tfjsPlaces(looked);
  }

  /** What the user has named comes before what is usual. */
  async #candidates(): Promise<readonly Candidate[]> {
    const { variables, platform, home } = this.#env;
    const listed = variables['LANFLOW_DATA'] ? await linesOf(environmentsFile(variables)) : [];
    return [
      ...(variables['LANFLOW_PYTHON'] ?? '').split(delimiter).map((path) => ({ path, source: 'LANFLOW_PYTHON' })),
      ...listed.map((path) => ({ path: path.replace(/^~(?=$|[\\/])/, home), source: 'environments.txt' })),
      ...['VIRTUAL_ENV', 'CONDA_PREFIX'].map((source) => ({ path: variables[source] ?? '', source })),
      { path: platform === 'win32' ? 'python' : 'python3', source: 'PATH' },
    ].filter(({ path }) => path !== '');
  }

  #placeAt(path: string): Promise<TensorFlowPlace | undefined> {
    const isFolder = /[\\/]/.test(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory();
    return isFolder ? placeInEnvironment(path, this.#env.platform) : this.#interpreters.place(path);
  }
}
