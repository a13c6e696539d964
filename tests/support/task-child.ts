import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

export interface ChildOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that a test started, and what it has said. It is gone when the test process is. */
export interface TaskChild {
  readonly pid: number;
  /** Everything on standard error so far. */
  stderr(): string;
  /** The first line on standard output that `wanted` accepts; rejects, with what the process said, when it ends before. */
  line(wanted: (line: string) => boolean): Promise<string>;
  /** One line to its standard input. */
  write(line: string): void;
  /** Exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const living = new Set<Child>();
let watching = false;

/** Standard input stays open as long as this process lives: the task servers take its end as the end of their parent. */
export function startChild({ program, args, env = {} }: ChildOptions): TaskChild {
  endWithThisProcess();
  const child: Child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  living.add(child);
  const lines = collectLines(child.stdout);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {}); // It may end before it has read everything.
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      living.delete(child);
      resolve(code);
    });
  });
  return {
    pid: child.pid ?? 0,
    stderr: () => stderr,
    line: (wanted) =>
      Promise.race([
        lines.next(wanted),
        ended.then((code) => Promise.reject(new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stderr}`))),
      ]),
    write: (line) => child.stdin.write(`${line}\n`),
    ended,
    kill: (signal) => child.kill(signal),
  };
}

function endWithThisProcess(): void {
  if (watching) return;
  watching = true;
  process.on('exit', () => {
    for (const child of living) child.kill('SIGKILL');
  });
}

interface Waiter {
  readonly wanted: (line: string) => boolean;
  readonly resolve: (line: string) => void;
}

/** Each line goes to the first waiter that wants it; others are kept until somebody asks. */
function collectLines(stream: Readable): { next(wanted: Waiter['wanted']): Promise<string> } {
  const kept: string[] = [];
  const waiters: Waiter[] = [];
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      const index = waiters.findIndex(({ wanted }) => wanted(line));
      if (index < 0) kept.push(line);
      else waiters.splice(index, 1)[0]?.resolve(line);
    }
  });
  return {
    next(wanted) {
      const index = kept.findIndex(wanted);
      if (index >= 0) return Promise.resolve(kept.splice(index, 1)[0] ?? '');
      return new Promise((resolve) => waiters.push({ wanted, resolve }));
    },
  };
}
