import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, release, type } from 'node:os';
import { dirname, join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

export const VERSION: string = packageJson.version;

/** Packages that compute, by what they are called. */
const BACKENDS = { 'TensorFlow.js': '@tensorflow/tfjs-core', 'ONNX Runtime': 'onnxruntime-node' };

/** Names and versions of what this core and its tasks run on. */
export function versions(): Readonly<Record<string, string>> {
  const backends = Object.entries(BACKENDS).flatMap(([name, backend]) => {
    const version = packageVersion(backend);
    return version === undefined ? [] : [[name, version]];
  });
  return {
    Lanflow: VERSION,
    Node: process.versions.node,
    'Operating system': `${type()} ${release()} ${arch()}`,
    ...Object.fromEntries(backends),
  };
}

function packageVersion(name: string): string | undefined {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(name));
    while (!folder.endsWith(name.replace(/^.*\//, ''))) folder = dirname(folder);
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' || code === 'ENOENT') return undefined;
    throw error;
  }
}
