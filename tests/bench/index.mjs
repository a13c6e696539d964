/**
 * `npm run bench [-- --quick]`: our tasks against genuine TensorFlow servers, side by side in one run. Prints a table of
 * ratios and writes .cache/bench.json. `npm run bench -- --app` measures the desktop app instead, and writes .cache/bench-app.json.
 * The programs are TypeScript like the tests, so they are bundled first.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { windowTestEnvironment } from '../../scripts/electron.mjs';
import { installTensorFlow } from '../../scripts/setup.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const quick = process.argv.includes('--quick');

/** Its module, as a bundle. */
async function load(name) {
  // Two folders deep, so that paths relative to a source file in tests/ hold for the bundle too.
  const outfile = `${root}.cache/bench/${name}.mjs`;
  await build({
    absWorkingDir: root,
    entryPoints: [`tests/bench/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: ['playwright-core'],
    logLevel: 'warning',
    banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
  });
  return import(pathToFileURL(outfile));
}

function stop(reason) {
  console.error(reason);
  process.exit(1);
}

if (process.argv.includes('--app')) {
  Object.assign(process.env, windowTestEnvironment());
  if (!process.env['LANFLOW_ELECTRON']) stop('The app is measured in a real Electron, which cannot be had here.');
  const { runAppBenchmark } = await load('app');
  await runAppBenchmark({ quick, resultFile: `${root}.cache/bench-app.json` });
} else {
  const python = installTensorFlow();
  if (!python) stop('The benchmark compares with genuine TensorFlow, which cannot be installed here.');
  process.env['LANFLOW_PYTHON'] = python;
  const { runBenchmark } = await load('bench');
  await runBenchmark({ quick, resultFile: `${root}.cache/bench.json` });
}
process.exit(0);
