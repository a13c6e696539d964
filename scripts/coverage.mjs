/**
 * Writes docs/coverage.md from what the last `npm test` reported: which RPC and which op is covered by which test, on what.
 * `node scripts/coverage.mjs`
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { opTable, rpcTable } from './coverage/tables.mjs';
import { kernelRuns, programRuns, testsOf } from './coverage/tests.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function report(tier) {
  try {
    return JSON.parse(readFileSync(`${root}.cache/${tier}.json`, 'utf8'));
  } catch (error) {
    throw new Error(`No report of the ${tier} tests: run npm test first`, { cause: error });
  }
}

/** Kernels of a bundled task for ops that TensorFlow has; its own helpers have other names. */
async function kernelSpecs() {
  const outfile = `${root}.cache/coverage/kernels.mjs`;
  const contents = "export * from './task-server/kernels/index.ts'; export { opNames } from './proto/ops/registry.ts';";
  await build({ stdin: { contents, resolveDir: root }, outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
  const { kernelSpecs: specs, opNames } = await import(pathToFileURL(outfile));
  const known = new Set(opNames());
  return specs.filter(({ op }) => known.has(op));
}

const programs = programRuns(testsOf(report('conformance')));
const kernels = kernelRuns(testsOf(report('unit')));

const text = `# Coverage

Written by \`scripts/coverage.mjs\` from the reports of \`npm test\`; do not edit.

## RPCs

Client programs that cannot come to their result without the RPC, and whether they did: the same programs in two languages on
clusters of four tasks. What counts as right is what genuine TensorFlow gave in the same run.

${rpcTable(programs)}

## Ops

Every op that a bundled task serves. Types are those whose recorded calls gave what genuine TensorFlow gave; every other type
that the op's definition allows may work, but is not tested. Ops that keep state (variables, queues, random streams) are tested
by the client programs and by tests of their own. The last column names the numeric libraries that take the op over
for large float tensors, with the same recorded calls.

${opTable(kernels, await kernelSpecs())}
`;
writeFileSync(`${root}docs/coverage.md`, text);
