/**
 * Brings a bare clone to the point where it can be built and tested: `node scripts/setup.mjs [--tests]`. Only Node's own
 * modules may be used here: nothing is installed yet when it starts. Whatever is in place already is left alone.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = `${root}.cache`;

/** TensorFlow is the judge of values and error codes in the tests; numpy as old as the tutorials' programs need it. */
const pythonPackages = ['tensorflow-cpu==2.21.0', 'numpy<2.2'];

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: ['ignore', process.stderr, process.stderr] }).status === 0;
}

/** Runs `install` unless it succeeded before for the same inputs and what it made is still there. */
function once(product, inputs, install) {
  const stamp = `${product}/.lanflow-stamp`;
  const key = createHash('sha256').update(inputs).digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return true;
  if (!install()) return false;
  writeFileSync(stamp, key);
  return true;
}

/** npm packages, exactly as the lock file says. */
export function installPackages() {
  return once(`${root}node_modules`, readFileSync(`${root}package-lock.json`), () => {
    console.error('Installing npm packages (once) …');
    return run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  });
}

/** Path of a Python that has TensorFlow: LANFLOW_PYTHON, or a virtual environment of our own. Undefined if it cannot be had. */
export function installTensorFlow() {
  const given = process.env['LANFLOW_PYTHON'];
  if (given) return given;
  const venv = `${cache}/venv`;
  const python = `${venv}/bin/python`;
  const ready = once(venv, pythonPackages.join(), () => {
    console.error(`Installing ${pythonPackages.join(' and ')} into .cache/venv (once, about 300 MB) …`);
    mkdirSync(cache, { recursive: true });
    return makeVenv(venv) && run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...pythonPackages]);
  });
  return ready ? python : undefined;
}

function makeVenv(venv) {
  if (run('python3', ['-m', 'venv', venv])) return true;
  rmSync(venv, { recursive: true, force: true });
  return installDebianPackages(['python3-venv']) && run('python3', ['-m', 'venv', venv]);
}

/** As root they are installed, saying so first; otherwise the line to run is printed. */
export function installDebianPackages(names) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.error(`Missing system packages. Run: sudo apt-get install ${names.join(' ')}`);
    return false;
  }
  console.error(`Installing Debian packages: ${names.join(' ')}`);
  return run('apt-get', ['update', '-qq']) && run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [major] = process.versions.node.split('.');
  if (Number(major) < 20) {
    console.error(`Lanflow needs Node 20 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  if (!installPackages()) process.exit(1);
}
