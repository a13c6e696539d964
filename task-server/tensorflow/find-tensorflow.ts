import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What a search for TensorFlow brought to light, best first. */
export interface TensorFlowPlaces {
  /** Libraries with TensorFlow's C interface. */
  readonly libraries: readonly string[];
  /** Python interpreters that have the tensorflow package. */
  readonly pythons: readonly string[];
  /** Everything that was looked for and where; for the message when there is nothing. */
  readonly looked: string[];
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Names of the library on Linux (in TensorFlow's package for C, then in the Python wheel), macOS and Windows. */
const libraryNames = [
  'libtensorflow.so.2',
  'libtensorflow.so',
  'libtensorflow_cc.so.2',
  'libtensorflow.2.dylib',
  'libtensorflow.dylib',
  'libtensorflow_cc.2.dylib',
  'tensorflow.dll',
];

/** An explicit place is used or reported, never passed over in silence; without one every usual place is searched. */
export async function findTensorFlow(explicit: string | undefined, variables: Variables): Promise<TensorFlowPlaces> {
  const given = explicit ?? variables['LANFLOW_LIBTENSORFLOW'];
  if (given) {
    const library = libraryAt(given);
    return { libraries: library ? [library] : [], pythons: [], looked: library ? [] : [`libtensorflow at ${given}`] };
  }
  const looked: string[] = [];
  const libraries = tfjsLibraries(looked);
  const pythons: string[] = [];
  for (const { python, source } of pythonCandidates(variables)) {
    looked.push(`the tensorflow package of Python ${python} (${source})`);
    const folder = await packageFolder(python);
    if (folder === undefined) continue;
    pythons.push(python);
    const library = libraryAt(folder);
    if (library) libraries.push(library);
  }
  return { libraries, pythons, looked };
}

/** The library itself, or the one in a folder. */
function libraryAt(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return path;
  return libraryNames.map((name) => join(path, name)).find((file) => existsSync(file));
}

function tfjsLibraries(looked: string[]): string[] {
  const { resolve } = createRequire(import.meta.url);
  const libraries: string[] = [];
  for (const name of ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node']) {
    looked.push(`libtensorflow in ${name}`);
    const folder = installedFolder(name, resolve);
    const library = folder && libraryAt(join(folder, 'deps', 'lib'));
    if (library) libraries.push(library);
  }
  return libraries;
}

function installedFolder(name: string, resolve: (id: string) => string): string | undefined {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The first one given wins; a variable that is not set adds nothing. */
function pythonCandidates(variables: Variables): { python: string; source: string }[] {
  const inEnvironment = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
  const candidates = [{ python: variables['LANFLOW_PYTHON'], source: 'LANFLOW_PYTHON' }];
  for (const source of ['VIRTUAL_ENV', 'CONDA_PREFIX']) {
    const folder = variables[source];
    candidates.push({ python: folder && join(folder, ...inEnvironment), source });
  }
  candidates.push({ python: process.platform === 'win32' ? 'python' : 'python3', source: 'PATH' });
  return candidates.flatMap(({ python, source }) => (python ? [{ python, source }] : []));
}

const locate =
  'import importlib.util as u; s = u.find_spec("tensorflow"); print(s.submodule_search_locations[0] if s and s.submodule_search_locations else "")';

/** Where a Python has its tensorflow package, found without the seconds that importing it takes. */
function packageFolder(python: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(python, ['-c', locate], { timeout: 10_000 }, (error, stdout) => resolve(error ? undefined : stdout.trim() || undefined));
  });
}
