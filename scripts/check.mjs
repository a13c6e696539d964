/**
 * Everything that can be judged without running the product: `node scripts/check.mjs`. All checks run, also after a
 * failure; the exit code says whether all passed.
 */
import { spawn } from 'node:child_process';
import { delimiter } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const env = { ...process.env, PATH: `${root}node_modules/.bin${delimiter}${process.env['PATH']}` };

const checks = [
  { name: 'types', command: ['tsc', '-p', 'tsconfig.json'] },
  { name: 'window types', command: ['svelte-check', '--tsconfig', 'renderer/tsconfig.json', '--fail-on-warnings', '--output', 'machine'] },
  { name: 'lint and format', command: ['biome', 'ci', '--error-on-warnings', '--colors=off'] },
  {
    name: 'architecture',
    command: ['depcruise', '--config', '.dependency-cruiser.cjs', 'main', 'task-server', 'proto', 'renderer', '--output-type', 'err'],
  },
  { name: 'unused code', command: ['knip'] },
  { name: 'generated code', command: ['node', 'scripts/proto.mjs', '--check'] },
  { name: 'message catalogue', command: ['node', 'scripts/locales.mjs', '--check'] },
];

function runCheck({ name, command: [program, ...args] }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (data) => (output += data));
    child.stderr.on('data', (data) => (output += data));
    child.on('error', (error) => (output += error.message));
    child.on('close', (code) => resolve({ name, passed: code === 0, output }));
  });
}

/** Results of all checks, in order; failed ones are printed with what they said. */
export async function runChecks() {
  const results = [];
  for (const check of checks) {
    const result = await runCheck(check);
    console.log(`${result.passed ? '✓' : '✗'} check: ${result.name}`);
    if (!result.passed) console.log(result.output.trimEnd());
    results.push(result);
  }
  return results;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const results = await runChecks();
  process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
}
