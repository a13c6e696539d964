import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toStatusError } from '#proto/wire/status.ts';
import { createLog } from '../service/log.ts';
import { type RunningAgent, startAgent } from './agent.ts';
import { HELP, parseFlags, USAGE, UsageError } from './flags.ts';

/** Tasks are killed before this time is over; whatever else takes longer is cut off. */
const STOP_LIMIT_MS = 4800;
const KEPT_AFTER_MS = 250;

/** The program: the agent of this machine, until a signal or, when it is private, until nobody uses it. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  // Whoever read it may be gone before the agent is.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const log = createLog({ write: (line) => process.stderr.write(line), trace: process.env['TRACE'] });
  process.on('unhandledRejection', (reason) => log.error(`bug: ${reason instanceof Error ? reason.stack : reason}`));
  try {
    const flags = parseFlags(args);
    const stopped = stopSignal();
    const agent = await startAgent({ dataFolder: flags.data, installed: !flags.private, taskProgram: taskProgram(), log });
    process.stdout.write(`ready ${agent.address.socket} ${agent.machine}\n`);
    await Promise.race(flags.private ? [stopped, untilUnused(agent)] : [stopped]);
    const limit = setTimeout(() => process.exit(0), STOP_LIMIT_MS);
    await agent.stop();
    clearTimeout(limit);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}

/** The task program stands beside this one. */
function taskProgram(): string {
  return process.env['LANFLOW_TASK_SERVER'] ?? fileURLToPath(new URL('./index.js', import.meta.url));
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, () => resolve());
  });
}

async function untilUnused({ keepers }: RunningAgent): Promise<void> {
  const leave = keepers.add();
  for (const name of ['end', 'error'] as const) {
    process.stdin.once(name, () => {
      leave();
      // Tells who started it that it need not wait: others go on using the agent. Its own connection may end a little later.
      setTimeout(() => {
        if (keepers.count > 0) process.stdout.write('kept\n');
      }, KEPT_AFTER_MS);
    });
  }
  process.stdin.resume();
  await keepers.gone;
}

function reportFailure(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`lanflow agent: ${error.message} (${USAGE})\n`);
    return 2;
  }
  const { codeName, message } = toStatusError(error);
  process.stderr.write(`lanflow agent: ${codeName}: ${message.replaceAll('\n', ' ')}\n`);
  return 1;
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  process.exit(await main(process.argv.slice(2)));
}
