import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cache = fileURLToPath(new URL('../../.cache/npm-archives', import.meta.url));

/** Folder with the content of a package from the registry, which npm would not install here because it is for another system. */
export function unpackNpmPackage(name, version) {
  const folder = join(cache, `${name.replace('/', '+')}@${version}`);
  if (existsSync(folder)) return folder;
  const work = `${folder}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  try {
    console.log(`Fetching ${name}@${version} (once) …`);
    // npm is a script of the shell on Windows.
    execFileSync('npm', ['pack', '--silent', '--pack-destination', work, `${name}@${version}`], { shell: process.platform === 'win32' });
    const archive = readdirSync(work).find((file) => file.endsWith('.tgz'));
    execFileSync('tar', ['xzf', archive], { cwd: work });
    renameSync(join(work, 'package'), folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
