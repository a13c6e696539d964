import { setMaxListeners } from 'node:events';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toStatusError } from '#proto/wire/status.ts';
import { startBundledTask } from './bundled-task.ts';
import { HELP, parseFlags, type TaskOptions, USAGE, UsageError } from './flags.ts';
import { findOwnTask } from './service/cluster-tasks.ts';
import { createLog } from './service/log.ts';
import type { RunningTask, TaskEnv } from './task.ts';
import { startTensorFlowServer } from './tensorflow/index.ts';

export type { TaskOptions } from './flags.ts';
export type { RunningTask, TaskEnv } from './task.ts';

/** Starts one task in this process. Rejects with a StatusError whose code and text are TensorFlow's. */
export async function startTask(options: TaskOptions, env: TaskEnv): Promise<RunningTask> {
  const own = findOwnTask(options.cluster, options.job, options.task);
  if (options.engine === 'bundled') return startBundledTask(options, own, env);
  const server = await startTensorFlowServer(options, { variables: env.variables, log: env.log.info });
  return { task: own.task, target: server.target, state: () => undefined, lost: server.lost, stop: () => server.stop() };
}

/** A stop that takes longer is cut off. */
const STOP_LIMIT_MS = 4500;

/** The program: one task in the foreground, until a signal. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const log = createLog({ write: (line) => process.stderr.write(line), trace: process.env['TRACE'] });
  // A step may park any number of ops, and each listens to the signal of the step.
  setMaxListeners(0);
  process.on('unhandledRejection', (reason) => log.error(`bug: ${reason instanceof Error ? reason.stack : reason}`));
  try {
    const options = parseFlags(args, process.env);
    const stopped = stopSignal(options);
    const threadEntry = new URL('./device-thread.js', import.meta.url);
    const task = await startTask(options, { log, variables: process.env, threadEntry });
    process.stdout.write(`ready ${task.target} ${task.task}\n`);
    process.on('SIGUSR2', () => log.info(`state: ${task.state() ?? 'a TensorFlow server does not tell'}`));
    const lost = await Promise.race([stopped, task.lost]);
    if (lost) throw lost;
    const limit = setTimeout(() => process.exit(0), STOP_LIMIT_MS);
    await task.stop();
    clearTimeout(limit);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

function stopSignal({ parentPipe }: TaskOptions): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve());
    if (!parentPipe) return;
    for (const name of ['end', 'error'] as const) process.stdin.once(name, () => resolve());
    process.stdin.resume();
  });
}

function reportFailure(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`lanflow task: ${error.message} (${USAGE})\n`);
    return 2;
  }
  const { codeName, message } = toStatusError(error);
  process.stderr.write(`lanflow task: ${codeName}: ${message.replaceAll('\n', ' ')}\n`);
  return 1;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exit(await main(process.argv.slice(2)));
}
