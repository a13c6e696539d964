import { existsSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { TensorFlowPlace } from './tensorflow-place.ts';

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

/** The library itself, or the one in a folder. */
export function libraryAt(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isDirectory()) return path;
  return libraryNames.map((name) => join(path, name)).find((file) => existsSync(file));
}

/** As a place of its own, without a Python that could import it. */
export function libraryPlace(library: string, title: string): TensorFlowPlace {
  return { version: versionOf(library), title, path: library, library, python: undefined };
}

/** `libtensorflow.so.2` is a link to `libtensorflow.so.2.15.0`. */
function versionOf(library: string): string {
  return /(\d+\.\d+\.\d+)(\.dylib)?$/.exec(realpathSync(library))?.[1] ?? '';
}

/** TensorFlow.js for Node brings a library, and may be installed beside Lanflow. */
export function tfjsPlaces(looked: string[]): readonly TensorFlowPlace[] {
  const { resolve } = createRequire(import.meta.url);
  return ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'].flatMap((name) => {
    looked.push(`libtensorflow in ${name}`);
    const folder = installedFolder(name, resolve);
    const library = folder && libraryAt(join(folder, 'deps', 'lib'));
    return library ? [libraryPlace(library, name)] : [];
  });
}

function installedFolder(name: string, resolve: (id: string) => string): string | undefined {
  try {
    return dirname(resolve(`${name}/package.json`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
