// Generates proto/generated from proto/tensorflow. With --check it only tells whether that would change anything.
// Needs no network: compiler and plugin are dev dependencies.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const generated = 'proto/generated';

function generate(outputRoot) {
  const bin = join(root, 'node_modules', '.bin');
  const { status, error } = spawnSync(join(bin, 'buf'), ['generate', '--output', outputRoot], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
    shell: process.platform === 'win32',
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** Path → content of every file below `folder`. */
function readTree(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

function staleFiles() {
  const temporary = mkdtempSync(join(tmpdir(), 'lanflow-proto-'));
  try {
    generate(temporary);
    const fresh = readTree(join(temporary, generated));
    const current = readTree(join(root, generated));
    return [...new Set([...fresh.keys(), ...current.keys()])].filter((path) => fresh.get(path) !== current.get(path));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

if (process.argv.includes('--check')) {
  const stale = staleFiles();
  for (const path of stale) console.error(`${generated}/${path} is out of date`);
  if (stale.length > 0) {
    console.error('Run: npm run proto');
    process.exitCode = 1;
  }
} else {
  generate(root);
}
