/**
 * `npm run bench [-- --quick]`: our tasks against genuine TensorFlow servers, side by side in one run. Prints a table of
 * ratios and writes .cache/bench.json. The programs are TypeScript like the tests, so they are bundled first.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { installTensorFlow } from '../../scripts/setup.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const python = installTensorFlow();
if (!python) {
  console.error('The benchmark compares with genuine TensorFlow, which cannot be installed here.');
  process.exit(1);
}
process.env['LANFLOW_PYTHON'] = python;
// Two folders deep, so that paths relative to a source file in tests/ hold for the bundle too.
const outfile = `${root}.cache/bench/bench.mjs`;
await build({
  absWorkingDir: root,
  entryPoints: ['tests/bench/bench.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning',
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
});
const { runBenchmark } = await import(pathToFileURL(outfile));
await runBenchmark({ quick: process.argv.includes('--quick'), resultFile: `${root}.cache/bench.json` });
process.exit(0);
