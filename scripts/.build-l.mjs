/**
 * Bundles what runs: `node scripts/build.mjs [--watch]`. Each entry is one file, so that a task server can be shipped to
 * another machine as a folder. Packages with native or wasm parts stay outside the bundles.
 */
import { chmod, cp, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const external = ['koffi', 'onnxruntime-node', '@tensorflow/*', 'esbuild'];

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: 'linked',
  external,
  logLevel: 'warning',
  // grpc-js is CommonJS and requires Node's own modules; an ES module has no `require` of its own.
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
};

const bundles = [
  { entryPoints: { 'task-server/index': 'task-server/index.ts', 'task-server/device-thread': 'task-server/backends/device-thread.ts' } },
  {
    // One build: a program host and the programs it loads share the one copy of the client library.
    entryPoints: {
      'cli/index': 'main/cli/index.ts',
      'program-host/index': 'main/program-host/index.ts',
      'client/index': 'main/client/index.ts',
    },
    splitting: true,
    chunkNames: 'shared/[name]-[hash]',
  },
];

const outdir = '.cache/l/dist';
if (process.argv.includes('--watch')) {
  for (const bundle of bundles) await (await context({ ...shared, ...bundle, outdir })).watch();
} else {
  await Promise.all(bundles.map((bundle) => build({ ...shared, ...bundle, outdir })));
}
await mkdir(`${root}/${outdir}/task-server/tensorflow`, { recursive: true });
await cp(`${root}/task-server/tensorflow/serve.py`, `${root}/${outdir}/task-server/tensorflow/serve.py`);
await chmod(`${root}/${outdir}/cli/index.js`, 0o755);
