/**
 * `npm run package`: the app as a folder in dist-package, for this system, with the Electron that `npm start` uses. With arguments, what
 * electron-builder makes of them: `npm run package -- --linux deb --arm64`; it then fetches Electron and the tools that it needs.
 * `--built` takes packages and dist as they are.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installElectron } from './electron.mjs';
import { installPackages } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const isBuilt = process.argv.includes('--built');
const targets = process.argv.slice(2).filter((argument) => argument !== '--built');

function node(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function electronVersion(executable) {
  const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const { stdout } = spawnSync(executable, ['-e', 'process.stdout.write(process.versions.electron)'], { env, encoding: 'utf8' });
  return stdout;
}

/** Its files alone: the one of the tests has a launcher, and pictures of the app that it was unpacked from. */
function cleanElectron(executable) {
  const [from, to] = [distOf(executable), join(root, '.cache', 'package', 'electron')];
  const strange = /^(resources[\\/](app|default_app)\b.*|usr|AppRun|\.DirIcon|.*\.desktop|[^\\/]*\.png)$/;
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: (path) => !strange.test(relative(from, path)) });
  return to;
}

/** On macOS the executable lies deep in Electron.app. */
function distOf(executable) {
  const [folder] = executable.split(/[\\/]Electron\.app[\\/]/);
  return folder === executable ? dirname(executable) : folder;
}

if (!isBuilt) {
  if (!installPackages()) process.exit(1);
  node('scripts/build.mjs');
}
const builder = join('node_modules', 'electron-builder', 'cli.js');
if (targets.length > 0) {
  node(builder, '--publish', 'never', ...targets);
} else {
  const electron = installElectron();
  if (!electron) process.exit(1);
  const dist = `-c.electronDist=${cleanElectron(electron)}`;
  node(builder, '--publish', 'never', '--dir', dist, `-c.electronVersion=${electronVersion(electron)}`);
}
