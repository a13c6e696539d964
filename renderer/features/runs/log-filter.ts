import type { LogLine } from '#proto/ipc/contract.ts';
import { hasWords } from '../../components/words.ts';

export interface LogFilter {
  /** A client, a task or `lanflow`; empty for all. */
  readonly source: string;
  /** Empty for all. */
  readonly kind: LogLine['kind'] | '';
  /** Words that must all be in the line, in any order; upper and lower case are alike. */
  readonly text: string;
}

export const logKinds = ['client', 'task', 'wait', 'progress', 'error'] as const satisfies readonly LogLine['kind'][];

function passes(line: LogLine, { source, kind, text }: LogFilter): boolean {
  return (source === '' || line.source === source) && (kind === '' || line.kind === kind) && hasWords(`${line.source} ${line.text}`, text);
}

/** The lines of a growing log that pass a filter, and who has said something in it. What it has looked at it does not look at again. */
export class LogSieve {
  #filter: LogFilter = { source: '', kind: '', text: '' };
  #passed: readonly LogLine[] = [];
  #sources: ReadonlySet<string> = new Set();
  /** Number of the line that is next. */
  #next = 0;

  /** In their order. The log may have lost lines at its beginning since the last time. */
  lines(log: readonly LogLine[], filter: LogFilter): readonly LogLine[] {
    const sameFilter = (['source', 'kind', 'text'] as const).every((part) => filter[part] === this.#filter[part]);
    if (!sameFilter) {
      this.#filter = filter;
      this.#passed = [];
      this.#next = 0;
    }
    const first = log[0]?.number ?? 0;
    const fresh = log.slice(Math.max(0, this.#next - first));
    this.#next = first + log.length;
    this.#learnSources(fresh);
    if (filter.source === '' && filter.kind === '' && filter.text.trim() === '') return log;
    const passed = fresh.filter((line) => passes(line, filter));
    const gone = this.#passed.findIndex(({ number }) => number >= first);
    if (passed.length > 0 || gone !== 0) this.#passed = [...(gone < 0 ? [] : this.#passed.slice(gone)), ...passed];
    return this.#passed;
  }

  /** Of all lines that were given to `lines`, each once. */
  get sources(): ReadonlySet<string> {
    return this.#sources;
  }

  #learnSources(lines: readonly LogLine[]): void {
    const unknown = lines.filter(({ source }) => !this.#sources.has(source)).map(({ source }) => source);
    if (unknown.length > 0) this.#sources = new Set([...this.#sources, ...unknown]);
  }
}

/** As people paste it: time, who said it, and what. */
export function logText(lines: readonly LogLine[]): string {
  return lines.map(({ time, source, text }) => `${new Date(time).toISOString()} ${source} ${text}`).join('\n');
}
