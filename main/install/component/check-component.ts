import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { failedPrecondition, invalidArgument, notFound } from '#proto/wire/status.ts';
import { type Platform, platformName } from '../bundle/platform.ts';
import { elfArch } from './elf.ts';

/** Libraries that tasks use when they find them, the better one first. */
const PACKAGES = ['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'];

/** The package that a component is about. */
export interface ComponentPackage {
  readonly name: string;
  readonly version: string;
}

/**
 * Looks whether a folder is a component that tasks on such a machine can use: it holds one of the packages, installed there as npm does,
 * with native parts for that processor. Rejects with what is wrong and how it is mended.
 */
export async function checkComponent(folder: string, target: Platform): Promise<ComponentPackage> {
  const facts = await stat(folder).catch((error: unknown) => {
    throw fileError(`The component ${folder} cannot be read`, error);
  });
  if (!facts.isDirectory()) throw invalidArgument(`The component ${folder} is no folder; unpack it, and name the folder`);
  const name = PACKAGES.find((each) => existsSync(join(folder, 'node_modules', each, 'package.json')));
  if (name === undefined) {
    throw notFound(
      `The component ${folder} has none of ${PACKAGES.join(', ')}: make it with "npm install --prefix ${folder} @tensorflow/tfjs-node-gpu" on a machine of the same kind`,
    );
  }
  const root = join(folder, 'node_modules', name);
  await checkNative(root, target);
  const { version }: { version?: unknown } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return { name, version: String(version) };
}

async function checkNative(root: string, target: Platform): Promise<void> {
  const bindings = (await filesIn(join(root, 'lib'))).filter((file) => file.endsWith('.node'));
  const libraries = (await filesIn(join(root, 'deps', 'lib'))).filter((file) => /libtensorflow\.so/.test(file));
  if (bindings.length === 0 || libraries.length === 0) {
    throw failedPrecondition(`${root} lacks its native library: npm fetches it when the package is installed, so install it anew`);
  }
  for (const file of [...bindings, ...libraries]) {
    const arch = await elfArch(file);
    if (arch !== target.arch) throw failedPrecondition(`${file} is not for ${platformName(target)}; make the component on such a machine`);
  }
}

async function filesIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  return (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
}
