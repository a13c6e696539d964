import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { fileError } from '#proto/files/file-error.ts';
import { matchesPatterns, parseSshConfig, type SshConfig, splitLine } from '#proto/files/ssh-config.ts';
import type { SshEnv } from './ssh-env.ts';

/** OpenSSH's own limit. */
const MAX_DEPTH = 16;

/** The user's configuration, then that for all users, with the files that they include. */
export async function readSshConfig({ home, systemFolder }: Pick<SshEnv, 'home' | 'systemFolder'>): Promise<SshConfig> {
  const own = await inline(join(home, '.ssh', 'config'), { folder: join(home, '.ssh'), home, depth: 0 });
  const system = await inline(join(systemFolder, 'ssh_config'), { folder: systemFolder, home, depth: 0 });
  return parseSshConfig([...own, 'Host *', ...system].join('\n'));
}

/** The content of a file; nothing when it is not there. */
export async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return '';
    throw fileError(`${path} cannot be read`, error);
  }
}

interface Place {
  /** Relative paths begin here. */
  readonly folder: string;
  readonly home: string;
  readonly depth: number;
}

async function inline(path: string, place: Place): Promise<readonly string[]> {
  const lines: string[] = [];
  let header = 'Host *';
  for (const line of (await readIfThere(path)).split(/\r?\n/)) {
    const { key, words } = splitLine(line);
    if (key === 'include' && place.depth < MAX_DEPTH) {
      for (const word of words)
        for (const file of await expand(word, place)) lines.push(...(await inline(file, { ...place, depth: place.depth + 1 })));
      // What follows belongs to the block that the included file has interrupted.
      lines.push(header);
    } else {
      if (key === 'host' || key === 'match') header = line;
      lines.push(line);
    }
  }
  return lines;
}

/** Files that a name with wildcards in its last part means, in order of their names. */
async function expand(word: string, { folder, home }: Place): Promise<readonly string[]> {
  const bare = word.replace(/^~(?=\/)/, home);
  const path = isAbsolute(bare) ? bare : join(folder, bare);
  if (!/[*?]/.test(basename(path))) return [path];
  try {
    const names = await readdir(dirname(path));
    return names
      .filter((name) => matchesPatterns([basename(path)], name))
      .sort()
      .map((name) => join(dirname(path), name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError(`${dirname(path)} cannot be read`, error);
  }
}
