/** `npm start`: opens the desktop app from a bare clone. `npm start -- --demo` opens it with the demo running. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { installElectron } from './electron.mjs';
import { installPackages } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function node(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) {
  console.error('There is no display here. Use `npm run demo`, or `npm run web` for the same app in a browser (lanflow web).');
  process.exit(1);
}
if (!installPackages()) process.exit(1);
const electron = installElectron();
if (!electron) process.exit(1);
process.env['LANFLOW_ELECTRON'] = electron;
node('scripts/build.mjs');
node('dist/cli/index.js', 'app', ...process.argv.slice(2));
