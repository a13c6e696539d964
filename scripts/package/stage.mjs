/**
 * Puts together what runs outside of Electron: the built bundles, the packages beside them, and a Node. Becomes `resources/lanflow`; a part
 * of it goes to other machines.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode } from './node-runtime.mjs';
import { unpackNpmPackage } from './npm-archive.mjs';
import { shippedPackages, taskPackages } from './shipped-packages.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');

/** Programs that are started, and the library that the user's programs import. */
const entries = ['cli', 'core', 'program-host', 'language', 'client'].map((name) => `${name}/index.js`);
const taskServer = ['task-server/index.js', 'task-server/agent.js', 'task-server/device-thread.js'];
const folders = ['renderer', 'programs', 'task-server/tensorflow'];
const files = ['language/declarations.json', 'task-server/packages.json'];

/** Where `npm run bundles` puts what goes to machines of other kinds. */
export const bundles = join(root, 'bundles');

/** Fills the folder anew. */
export async function stage(target, folder) {
  await rm(folder, { recursive: true, force: true });
  await stageDist(join(folder, 'dist'));
  for (const shipped of shippedPackages(target)) await stagePackage(shipped, join(folder, 'node_modules'));
  await stageNode(target, join(folder, 'node'));
  await stageCommand(target, join(folder, 'bin'));
  await stageManifest(folder);
  await stageBundles(target, join(folder, 'bundles'));
}

/** Fills the folder anew with what agent and tasks need. */
export async function stageTaskServer(target, folder) {
  await rm(folder, { recursive: true, force: true });
  await cp(join(dist, 'task-server'), join(folder, 'dist/task-server'), { recursive: true });
  for (const shipped of taskPackages(target)) await stagePackage(shipped, join(folder, 'node_modules'));
  await stageNode(target, join(folder, 'node'));
  await stageManifest(folder);
}

async function stageManifest(folder) {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name, version, type: 'module' }));
}

/** Those that have been made; for its own kind the app makes one from itself. */
async function stageBundles({ platform, arch }, to) {
  const made = existsSync(bundles) ? await readdir(bundles) : [];
  for (const name of made.filter((file) => file.endsWith('.tar.gz') && !file.includes(`-${platform}-${arch}-`)))
    await cp(join(bundles, name), join(to, name));
}

/** Of the chunks only those of this build: an older one may have left its own. */
async function stageDist(to) {
  const modules = await reachable([...entries, ...taskServer]);
  for (const path of [...modules, ...folders, ...files]) await cp(join(dist, path), join(to, path), { recursive: true });
}

async function reachable(paths) {
  const found = new Set();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const text = await readFile(join(dist, path), 'utf8');
    for (const [, imported] of text.matchAll(/\b(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+\.js)["']/g)) {
      const target = relative(dist, join(dist, dirname(path), imported));
      if (existsSync(join(dist, target))) waiting.push(target);
    }
  }
  return found;
}

async function stagePackage({ name, files: wanted, isNative = false, isOptional = false, like }, to) {
  const source = findPackage({ name, isNative, isOptional, like });
  if (source === undefined) return;
  const licences = readdirSync(source).filter((file) => /^(licen[cs]e|notice|thirdparty)/i.test(file));
  for (const file of ['package.json', ...licences, ...wanted])
    await cp(join(source, file), join(to, name, file), { recursive: true, dereference: true });
}

/** Where it is installed; one for another system comes from the registry, in the version that this system has. */
function findPackage({ name, isNative, isOptional, like }) {
  const installed = join(root, 'node_modules', name);
  if (existsSync(installed)) return installed;
  if (isNative) return unpackNpmPackage(name, JSON.parse(readFileSync(join(root, 'node_modules', like, 'package.json'), 'utf8')).version);
  if (isOptional) return undefined;
  throw new Error(`The package ${name} is not installed: run npm ci`);
}

async function stageNode(target, folder) {
  const path = join(folder, target.platform === 'win32' ? 'node.exe' : 'node');
  await mkdir(folder, { recursive: true });
  await cp(findNode(target), path, { dereference: true });
  await chmod(path, 0o755);
}

/** `lanflow` for a terminal. */
async function stageCommand({ platform }, folder) {
  const isWindows = platform === 'win32';
  const name = isWindows ? 'lanflow.cmd' : 'lanflow';
  await mkdir(folder, { recursive: true });
  await cp(join(root, 'packaging', isWindows ? 'windows' : 'unix', name), join(folder, name));
  await chmod(join(folder, name), 0o755);
}
