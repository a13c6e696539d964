/**
 * `npm test`: sets up what is missing, builds, then checks and tests, fast tiers first. Ends with one line of counts.
 * `npm run test:long` runs the long tier instead, `npm run test:e2e` only the window in Electron and in a browser. What cannot be
 * had on this machine is skipped, counted and named; with CI=true only the reasons in `mayBeSkippedInCi` are accepted.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { windowTestEnvironment } from './electron.mjs';
import { installPackages, installTensorFlow } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const only = ['long', 'e2e'].filter((tier) => process.argv.includes(`--${tier}`));
const tiers = only.length > 0 ? only : ['unit', 'integration', 'conformance', 'lab', 'e2e'];

/** A skipped test says why at the start of its name: `[needs a GPU] …`. */
const mayBeSkippedInCi = ['needs a GPU'];

const total = { passed: 0, skipped: 0 };
/** All that failed in a line each, said once more at the end: what failed early has scrolled away by then. */
const failures = [];

function step(command, args, env = {}) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

function count(name, passed) {
  if (passed) total.passed++;
  else failures.push(name);
}

/**
 * Files at the same time. Tests that start small processes wait for them most of the time; genuine servers and windows need all of a small
 * machine, and what the long tier measures is measured alone.
 */
function workersOf(tier) {
  if (tier === 'unit') return availableParallelism();
  return tier === 'integration' || tier === 'lab' ? availableParallelism() + 1 : 1;
}

function runTier(tier, env) {
  const report = `${root}.cache/${tier}.json`;
  const ran = step(
    'npx',
    [
      ...['vitest', 'run', `--project=${tier}`, `--maxWorkers=${workersOf(tier)}`],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    ],
    env,
  );
  let results;
  try {
    results = JSON.parse(readFileSync(report, 'utf8'));
  } catch (error) {
    console.log(`No report of the ${tier} tests: ${error.message}`);
    count(`${tier} tests`, false);
    return;
  }
  total.passed += results.numPassedTests;
  const before = failures.length;
  for (const { name, status, message, assertionResults } of results.testResults) {
    const file = relative(root, name);
    if (status === 'failed' && assertionResults.length === 0) failures.push(`${file}: ${firstLine(message)}`);
    for (const test of assertionResults) countTest(test, file);
  }
  if (!ran && failures.length === before) failures.push(`${tier} tests ended with an error outside any test`);
}

function countTest({ status, fullName, failureMessages }, file) {
  if (status === 'failed') failures.push(`${file} > ${fullName}: ${firstLine(failureMessages[0])}`);
  if (status !== 'pending' && status !== 'skipped') return;
  if (!process.env['CI'] || mayBeSkippedInCi.some((reason) => fullName.includes(`[${reason}]`))) {
    total.skipped++;
    console.log(`- skipped: ${fullName}`);
  } else {
    failures.push(`may not be skipped in CI: ${fullName}`);
  }
}

function firstLine(text = '') {
  return text.split('\n', 1)[0];
}

mkdirSync(`${root}.cache`, { recursive: true });
if (!installPackages()) process.exit(1);
const { runChecks } = await import('./check.mjs');
const python = installTensorFlow();
if (!python) console.log('- TensorFlow cannot be installed here: tests that compare with it are skipped');

if (only.length === 0) for (const { name, passed } of await runChecks()) count(`check: ${name}`, passed);
count('build', step('node', ['scripts/build.mjs']));
const environment = {
  ...(python && { LANFLOW_PYTHON: python }),
  ...(only.includes('e2e') && { LANFLOW_WINDOWS: 'all' }),
  ...(tiers.some((tier) => tier === 'e2e' || tier === 'long') && windowTestEnvironment()),
};
for (const tier of tiers) runTier(tier, environment);

for (const failure of failures) console.log(`✗ ${failure}`);
const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`${total.passed} passed, ${failures.length} failed${skipped}`);
process.exitCode = failures.length === 0 ? 0 : 1;
