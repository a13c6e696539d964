/**
 * `npm run bundles [-- --platform linux-arm64 …] [--to FOLDER] [--built]`: what `lanflow install` sends to machines of other kinds than its
 * own, for all that Lanflow runs on or for those named; also `npm run package` takes what is in `bundles`. Node and native parts come from
 * the npm registry. `--built` takes packages and dist as they are.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { bundleProblems } from './package/check-bundle.mjs';
import { targets } from './package/shipped-packages.mjs';
import { bundles, stageTaskServer } from './package/stage.mjs';
import { installPackages } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function readFlags() {
  const text = { type: 'string' };
  const { values } = parseArgs({
    options: { platform: { ...text, multiple: true }, to: { ...text, default: bundles }, built: { type: 'boolean' } },
  });
  const named = values.platform?.map((name) => targets.find(({ platform, arch }) => `${platform}-${arch}` === name) ?? unknown(name));
  return { ...values, targets: named ?? targets };
}

function unknown(name) {
  throw new Error(`--platform ${name}: Lanflow runs on ${targets.map(({ platform, arch }) => `${platform}-${arch}`).join(', ')}`);
}

/** The module that the app makes its own bundle with. */
async function loadBundler() {
  const outfile = join(root, '.cache/package/bundle.mjs');
  const source = join(root, 'main/install/bundle/bundle.ts');
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' });
  return await import(pathToFileURL(outfile).href);
}

async function makeBundle(target, folder, { bundleFor }) {
  const staged = join(root, '.cache/package', `bundle-${target.platform}-${target.arch}`);
  try {
    await stageTaskServer(target, staged);
    const node = join(staged, 'node', target.platform === 'win32' ? 'node.exe' : 'node');
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const source = { root: staged, node, platform: target };
    const { path, size } = await bundleFor(target, { source, folder, shipped: folder, version });
    const problems = await bundleProblems(path, target);
    if (problems.length > 0) throw new Error(`${path}:\n  ${problems.join('\n  ')}`);
    console.log(`${path} ${(size / 1e6).toFixed(1)} MB`);
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

async function main() {
  const flags = readFlags();
  if (!flags.built) {
    if (!installPackages()) throw new Error('The packages could not be installed');
    if (spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' }).status !== 0)
      throw new Error('The build failed');
  }
  await mkdir(flags.to, { recursive: true });
  const bundler = await loadBundler();
  for (const target of flags.targets) await makeBundle(target, flags.to, bundler);
}

try {
  await main();
} catch (error) {
  console.error(`bundles: ${error.message}`);
  process.exitCode = 1;
}
