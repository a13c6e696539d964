/** Where the command line writes: results to stdout, everything else to stderr. */
export interface Terminal {
  /** A result. */
  print(text: string): void;
  /** A line for the user that is no result. */
  log(text: string): void;
  /** What is going on right now: on a terminal a line that the next one replaces, elsewhere an ordinary one. */
  progress(text: string): void;
  /** Something that passes by: on a terminal like `progress`, elsewhere nothing. */
  glimpse(text: string): void;
}

const CLEAR_LINE = '\r\u001b[K';

export function createTerminal(): Terminal {
  const isTerminal = process.stderr.isTTY === true;
  let isShowing = false;
  const clear = (): void => {
    if (isShowing) process.stderr.write(CLEAR_LINE);
    isShowing = false;
  };
  const show = (text: string): void => {
    clear();
    isShowing = true;
    process.stderr.write(text.slice(0, (process.stderr.columns ?? 80) - 1));
  };
  return {
    print(text) {
      clear();
      process.stdout.write(`${text}\n`);
    },
    log(text) {
      clear();
      process.stderr.write(`${text}\n`);
    },
    progress(text) {
      if (isTerminal) show(text);
      else process.stderr.write(`${text}\n`);
    },
    glimpse(text) {
      if (isTerminal) show(text);
    },
  };
}

/** Rows as aligned columns, the first row being the heads. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(cell.length, most[i] ?? 0)), []);
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** JSON for programs that read our output: bigints as texts, everything else as JSON has it. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each), 2);
}
