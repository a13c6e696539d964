/** The part of `~/.ssh/config` that follows one `Host` line. */
interface Block {
  readonly patterns: readonly string[];
  readonly options: { readonly key: string; readonly words: readonly string[] }[];
}

/** What OpenSSH's configuration says; keywords in lower case. */
export interface SshConfig {
  /** The names that it has a `Host` line for, without those that have wildcards. */
  readonly names: readonly string[];
  /** All values of a keyword for a host, in the order of the file, each as its words; for most keywords the first one counts. */
  values(host: string, keyword: string): readonly (readonly string[])[];
}

/** Reads it as OpenSSH does, except that `Match` blocks are left out, and lines that make no sense. */
export function parseSshConfig(content: string): SshConfig {
  const blocks = readBlocks(content);
  return {
    names: [...new Set(blocks.flatMap(({ patterns }) => patterns).filter((pattern) => !/[*?!]/.test(pattern)))],
    values: (host, keyword) =>
      blocks
        .filter((block) => matchesPatterns(block.patterns, host))
        .flatMap(({ options }) => options.filter(({ key }) => key === keyword).map(({ words }) => words)),
  };
}

function readBlocks(content: string): readonly Block[] {
  // What comes before the first block is for all.
  let block: Block = { patterns: ['*'], options: [] };
  const blocks = [block];
  for (const line of content.split(/\r?\n/)) {
    const { key, words } = splitLine(line);
    if (key === 'host' || key === 'match') {
      block = { patterns: key === 'host' ? words : [], options: [] };
      blocks.push(block);
    } else if (words.length > 0) block.options.push({ key, words });
  }
  return blocks;
}

/** `HostName = "a b"`: keyword and words; of a comment or an empty line an empty keyword and none. */
export function splitLine(line: string): { readonly key: string; readonly words: readonly string[] } {
  const [, keyword = '', rest = ''] = /^\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*?)\s*$/.exec(line) ?? [];
  const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  return { key: keyword.toLowerCase(), words };
}

/** Whether one of OpenSSH's patterns (`*`, `?`) is like the name and none that begins with `!` is. */
export function matchesPatterns(patterns: readonly string[], name: string): boolean {
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
