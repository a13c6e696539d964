import { type KnownHost, SSH_PORT } from './known-host.ts';

interface Block {
  readonly patterns: readonly string[];
  readonly options: Map<string, string>;
}

/**
 * Machines that `~/.ssh/config` names: each `Host` without wildcards, with what the first matching blocks say of it, as OpenSSH
 * reads it. `Match` blocks and included files are left out.
 */
export function parseSshConfig(content: string): readonly KnownHost[] {
  const blocks = readBlocks(content);
  const names = blocks.flatMap(({ patterns }) => patterns).filter((pattern) => !/[*?!]/.test(pattern));
  return [...new Set(names)].map((name) => {
    const value = (key: string): string | undefined =>
      blocks.find((block) => block.options.has(key) && applies(block, name))?.options.get(key);
    const address = (value('hostname') ?? name).replaceAll('%h', name).replaceAll('%%', '%');
    const port = Number(value('port') ?? SSH_PORT);
    const user = value('user');
    return {
      name,
      address,
      port: Number.isInteger(port) && port > 0 && port < 65_536 ? port : SSH_PORT,
      source: 'ssh config',
      ...(user && { user }),
    };
  });
}

function readBlocks(content: string): readonly Block[] {
  // What comes before the first block is for all.
  const blocks: Block[] = [{ patterns: ['*'], options: new Map() }];
  for (const line of content.split(/\r?\n/)) {
    const [, keyword = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
    const key = keyword.toLowerCase();
    const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    if (key === 'host') blocks.push({ patterns: words, options: new Map() });
    else if (key === 'match') blocks.push({ patterns: [], options: new Map() });
    else if (key && words[0] !== undefined) setFirst(blocks.at(-1)?.options, key, words[0]);
  }
  return blocks;
}

function setFirst(options: Map<string, string> | undefined, key: string, value: string): void {
  if (options && !options.has(key)) options.set(key, value);
}

function applies({ patterns }: Block, name: string): boolean {
  const isLike = (pattern: string): boolean => wildcard(pattern).test(name);
  const isExcluded = patterns.some((pattern) => pattern.startsWith('!') && isLike(pattern.slice(1)));
  return !isExcluded && patterns.some((pattern) => !pattern.startsWith('!') && isLike(pattern));
}

function wildcard(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'i');
}
