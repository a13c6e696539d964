/**
 * Bundles what runs: `node scripts/build.mjs [--watch]`. Each entry is one file, so that a task server can be shipped to
 * another machine as a folder. Packages with native or wasm parts stay outside the bundles.
 */
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';
import { buildWindow } from './build-window.mjs';
import { taskPackagesOfAll } from './package/shipped-packages.mjs';
import { buildTypes } from './types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const external = ['koffi', 'onnxruntime-node', '@tensorflow/*', 'esbuild', 'typescript', 'ssh2'];

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: 'linked',
  external,
  // A CommonJS module that is imported only when needed has no named exports in a bundle of several files.
  alias: { '@serenity-kit/opaque': '@serenity-kit/opaque/esm/index.js' },
  logLevel: 'warning',
  // grpc-js is CommonJS and requires Node's own modules; an ES module has no `require` of its own.
  banner: { js: "import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);" },
};

const bundles = [
  {
    entryPoints: {
      'task-server/index': 'task-server/index.ts',
      'task-server/device-thread': 'task-server/backends/device-thread.ts',
      'task-server/agent': 'task-server/agent/index.ts',
    },
  },
  {
    // One build: a program host and the programs it loads share the one copy of the client library.
    entryPoints: {
      'cli/index': 'main/cli/index.ts',
      'core/index': 'main/core/index.ts',
      'program-host/index': 'main/program-host/index.ts',
      'language/index': 'main/core/language/server.ts',
      'client/index': 'main/client/index.ts',
    },
    splitting: true,
    chunkNames: 'shared/[name]-[hash]',
  },
  {
    // The oldest Electron that may host it has Node 16 inside and wants CommonJS.
    entryPoints: { 'shell/index': 'main/index.ts', 'shell/preload': 'main/preload/index.ts', 'embed/index': 'main/embed/index.ts' },
    format: 'cjs',
    target: 'node16',
    banner: {},
    outExtension: { '.js': '.cjs' },
    external: ['electron'],
  },
];

const outdir = 'dist';
if (process.argv.includes('--watch')) {
  for (const bundle of bundles) await (await context({ ...shared, ...bundle, outdir })).watch();
  await buildTypes();
} else {
  await Promise.all([...bundles.map((bundle) => build({ ...shared, ...bundle, outdir })), buildWindow(), buildTypes()]);
}
await mkdir(`${root}/${outdir}/task-server/tensorflow`, { recursive: true });
await cp(`${root}/task-server/tensorflow/serve.py`, `${root}/${outdir}/task-server/tensorflow/serve.py`);
// What goes with the task server to other machines.
await writeFile(`${root}/${outdir}/task-server/packages.json`, JSON.stringify(taskPackagesOfAll()));
// What the gallery shows as a program's source.
await cp(`${root}/main/programs`, `${root}/${outdir}/programs`, { recursive: true });
await chmod(`${root}/${outdir}/cli/index.js`, 0o755);
