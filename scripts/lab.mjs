/**
 * `npm run lab -- --machines 5`: a lab of machines in network namespaces of this host, kept up until Ctrl+C, to try Lanflow by hand.
 * The host is on its network too. Needs root on Linux.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = `${root}tests/lab/support/lab.ts`;
const bundle = `${root}.cache/lab/lab.mjs`;

function machineCount() {
  const { values } = parseArgs({ options: { machines: { type: 'string', default: '5' } } });
  const count = Number(values.machines);
  if (Number.isInteger(count) && count >= 1 && count <= 200) return count;
  throw new Error(`--machines takes a number from 1 to 200, not '${values.machines}'`);
}

async function loadLab() {
  await mkdir(`${root}.cache/lab`, { recursive: true });
  // The lab looks for its files beside its sources.
  const define = { 'import.meta.url': JSON.stringify(pathToFileURL(source).href) };
  await build({ entryPoints: [source], outfile: bundle, bundle: true, platform: 'node', format: 'esm', target: 'node20', define });
  return await import(pathToFileURL(bundle).href);
}

function show(machine) {
  console.log(`${machine.name.padEnd(8)} ${machine.address().padEnd(14)} ${machine.enterCommand()}`);
}

async function main() {
  if (process.platform !== 'linux' || process.getuid() !== 0) throw new Error('A lab needs root on Linux: run it with sudo');
  const count = machineCount();
  const { createLab } = await loadLab();
  const lab = await createLab({ machines: count, withHost: true });
  console.log('machine  address        a shell on it');
  lab.machines.forEach(show);
  console.log(`\n${count} machines are up; this host is 10.77.1.2 among them. Ctrl+C takes them down.`);
  const keep = setInterval(() => undefined, 60_000);
  await new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(name, resolve);
  });
  clearInterval(keep);
  await lab.destroy();
}

try {
  await main();
} catch (error) {
  console.error(`lab: ${error.message}`);
  process.exitCode = 1;
}
