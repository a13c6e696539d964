export const levels = ['debug', 'info', 'warning', 'error'] as const;
export type Level = (typeof levels)[number];

/**
 * Lines for the person who runs a task. Results never go here. `trace` lines come only from the areas that are switched
 * on (`TRACE=rendezvous,rpc`, `TRACE=all`); ask `traces` before composing an expensive one.
 */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warning(message: string): void;
  error(message: string): void;
  trace(area: string, message: string): void;
  traces(area: string): boolean;
}

export interface LogOptions {
  /** Gets whole lines, newline included. */
  readonly write: (line: string) => void;
  /** Lines below this level are dropped. Default: info. */
  readonly level?: Level;
  /** Value of the environment variable TRACE. */
  readonly trace?: string | undefined;
  readonly now?: () => Date;
}

export function createLog({ write, level = 'info', trace = '', now = () => new Date() }: LogOptions): Log {
  const areas = new Set(trace.split(',').map((area) => area.trim()));
  const lowest = levels.indexOf(level);
  const put = (mark: string, message: string) => write(`${now().toISOString()} ${mark} ${message.replaceAll('\n', '\\n')}\n`);
  const at = (each: Level) => (message: string) => {
    if (levels.indexOf(each) >= lowest) put(each.toUpperCase(), message);
  };
  const traces = (area: string) => areas.has(area) || areas.has('all');
  return {
    debug: at('debug'),
    info: at('info'),
    warning: at('warning'),
    error: at('error'),
    traces,
    trace: (area, message) => {
      if (traces(area)) put(`TRACE ${area}`, message);
    },
  };
}
