/**
 * `npm test`: sets up what is missing, builds, then checks and tests, fast tiers first. Ends with one line of counts.
 * `npm run test:long` runs the long tier instead, `npm run test:e2e` only the window in Electron and in a browser. What cannot be
 * had on this machine is skipped, counted and named; with CI=true only the reasons in `mayBeSkippedInCi` are accepted.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { windowTestEnvironment } from './electron.mjs';
import { installPackages, installTensorFlow } from './setup.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const only = ['long', 'e2e'].filter((tier) => process.argv.includes(`--${tier}`));
const tiers = only.length > 0 ? only : ['unit', 'integration', 'conformance', 'lab', 'e2e'];

/** A skipped test says why at the start of its name: `[needs a GPU] …`. */
const mayBeSkippedInCi = ['needs a GPU'];

const total = { passed: 0, failed: 0, skipped: 0 };

function step(command, args, env = {}) {
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;
}

function count(name, passed) {
  total[passed ? 'passed' : 'failed']++;
  if (!passed) console.log(`✗ ${name}`);
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
  total.failed += results.numFailedTests;
  const brokenFiles = results.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  total.failed += brokenFiles.length;
  for (const file of results.testResults)
    file.assertionResults.filter(({ status }) => status === 'pending' || status === 'skipped').forEach(countSkip);
  if (!ran && results.numFailedTests + brokenFiles.length === 0) count(`${tier} tests ended with an error outside any test`, false);
}

function countSkip({ fullName }) {
  const accepted = !process.env['CI'] || mayBeSkippedInCi.some((reason) => fullName.includes(`[${reason}]`));
  total[accepted ? 'skipped' : 'failed']++;
  console.log(`${accepted ? '- skipped' : '✗ may not be skipped in CI'}: ${fullName}`);
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

const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
console.log(`${total.passed} passed, ${total.failed} failed${skipped}`);
process.exitCode = total.failed === 0 ? 0 : 1;
