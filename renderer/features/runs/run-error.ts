import type { LogLine, RunInfo } from '#proto/ipc/contract.ts';

/** What a failed run's error names, found in its text. */
export interface RunError {
  /** Its first line (and the next, where the first only says whence it came), without the marks by which tools find nodes. */
  readonly summary: string;
  /** Nodes of the graph, each once. */
  readonly nodes: readonly string[];
  /** `/job:ps/replica:0/task:0`, each once; those of the devices too. */
  readonly tasks: readonly string[];
  /** `/job:ps/replica:0/task:0/device:CPU:0`, each once. */
  readonly devices: readonly string[];
}

/** All that was said of a run's failure: the log has it whole, and more about where it happened. */
export function errorText({ status, errorCode }: Pick<RunInfo, 'status' | 'errorCode'>, log: readonly LogLine[]): string {
  const start = `${errorCode}: `;
  const at = log.findLastIndex(({ kind, text }) => kind === 'error' && text.startsWith(start + status));
  if (at < 0) return status;
  const [whole = '', ...more] = log
    .slice(at)
    .filter(({ kind }) => kind === 'error')
    .map(({ text }) => text);
  return [whole.slice(start.length), ...more].join('\n');
}

const NODE = /\{\{node ([^}]+)\}\}/g;
const DEVICE = /\/job:\w+(?:\/replica:\d+)?\/task:\d+(?:\/(?:device:)?[A-Za-z_]+:\d+)?/g;

export function parseRunError(text: string): RunError {
  const found = [
    ...new Set(
      [...text.matchAll(DEVICE)].map(([name]) => (name.includes('/replica:') ? name : name.replace('/task:', '/replica:0/task:'))),
    ),
  ];
  const [first = '', second = ''] = text.split('\n');
  return {
    summary: (first.trimEnd().endsWith(':') ? `${first} ${second}` : first)
      .replaceAll(NODE, '$1')
      .replace(/\s*\[\[.*$/, '')
      .trim(),
    nodes: [...new Set([...text.matchAll(NODE)].map(([, name = '']) => name))],
    tasks: [...new Set(found.map((name) => name.replace(/(\/task:\d+).*$/, '$1')))],
    devices: found.filter((name) => !/\/task:\d+$/.test(name)),
  };
}
