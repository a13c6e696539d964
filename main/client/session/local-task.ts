import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cancelled, deadlineExceeded, notFound, unavailable } from '#proto/wire/status.ts';
import { ClusterSpec } from './cluster-spec.ts';

export interface LocalTaskOptions {
  /** The cluster that the task is part of; a cluster of its own, `/job:localhost/task:0` on any free port, by default. */
  readonly cluster?: ClusterSpec;
  /** Job of the task; `localhost` by default. */
  readonly job?: string;
  /** Index of the task in its job; 0 by default. */
  readonly index?: number;
  /** The task program; by default the environment variable LANFLOW_TASK_SERVER, else `dist/task-server/index.js` of this package. */
  readonly bundle?: string;
  /** More flags for the task: `['--virtual-devices', 'GPU=2']`. */
  readonly flags?: readonly string[];
  /** Receives what the task logs. */
  readonly onLog?: (line: string) => void;
  readonly signal?: AbortSignal;
  /** Limit for the start; 20 s by default. */
  readonly timeoutMs?: number;
}

const STOP_MS = 5000;
const LAST_LINES = 5;

/** A task on this machine that belongs to this process: a child that ends with its parent. By default private, on loopback only. */
export class LocalTask {
  /** `grpc://127.0.0.1:PORT` */
  readonly target: string;
  /** Resolves when its process is gone, however that came about, to what it ended with: `exit code 0`, `SIGKILL`. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  private constructor(target: string, child: ChildProcess) {
    this.target = target;
    this.#child = child;
    this.ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`)));
  }

  /**
   * Starts a task and waits until it listens. Rejects with NOT_FOUND when the program is not there, UNAVAILABLE (with its
   * last lines) when it ends at once, DEADLINE_EXCEEDED or CANCELLED when the wait ends first; no process is left then.
   */
  static async start(options: LocalTaskOptions = {}): Promise<LocalTask> {
    const bundle = options.bundle ?? process.env['LANFLOW_TASK_SERVER'] ?? packagedBundle();
    if (!existsSync(bundle)) throw notFound(`The task program is not at ${bundle}; build it, or name it with LANFLOW_TASK_SERVER`);
    const { cluster = new ClusterSpec({ localhost: ['127.0.0.1:0'] }), job = 'localhost', index = 0, flags = [] } = options;
    const place = ['--cluster', JSON.stringify(cluster.toObject()), '--job', job, '--task', String(index)];
    // The pipe to stdin is never written to: it closes when this process ends, however it ends, and so the task ends too.
    const child = spawn(process.execPath, [bundle, ...place, '--parent-pipe', ...flags], { stdio: ['pipe', 'pipe', 'pipe'] });
    try {
      return new LocalTask(await readyTarget(child, options), child);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Process id, for tools that watch it. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Ends the task; resolves when its process is gone. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    await exited;
    clearTimeout(timer);
  }
}

function readyTarget(child: ChildProcess, { onLog, signal, timeoutMs = 20_000 }: LocalTaskOptions): Promise<string> {
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw unavailable('The local task was started without pipes');
  const last: string[] = [];
  createInterface({ input: stderr }).on('line', (line) => {
    last.push(line);
    if (last.length > LAST_LINES) last.shift();
    onLog?.(line);
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(deadlineExceeded(`The local task did not listen within ${timeoutMs} ms`)), timeoutMs);
    const abort = (): void => reject(cancelled('The start of the local task was cancelled', { cause: signal?.reason }));
    signal?.addEventListener('abort', abort, { once: true });
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    createInterface({ input: stdout }).on('line', (line) => {
      const target = /^ready (grpc:\/\/\S+)/.exec(line)?.[1];
      if (target === undefined) return;
      done();
      resolve(target);
    });
    child.once('error', (error) => {
      done();
      reject(unavailable(`The local task could not be started: ${error.message}`, { cause: error }));
    });
    child.once('exit', (code, killedBy) => {
      done();
      reject(unavailable(`The local task ended at once (${killedBy ?? `exit code ${code}`}): ${last.join(' | ') || 'it said nothing'}`));
    });
  });
}

/** From wherever this module was bundled into, the package's own task program. */
function packagedBundle(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'dist', 'task-server', 'index.js');
}
