#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { addAppCommand } from './commands/app.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDevicesCommand } from './commands/devices.ts';
import { addRunCommand } from './commands/run.ts';
import { runTask, TASK_SUMMARY } from './commands/task.ts';
import { addTraceCommand } from './commands/trace.ts';
import { addWebCommand } from './commands/web.ts';
import { createTerminal } from './terminal.ts';

const FAILED = 1;
const WRONG_USAGE = 2;

/** The whole command line. Resolves to the exit code: 0, 1 (failed) or 2 (wrong usage). */
async function main(args: readonly string[]): Promise<number> {
  // A task parses its own flags: it is also started without this command line, and should be up at once.
  if (args[0] === 'task') return runTask(args.slice(1));
  const terminal = createTerminal();
  let exitCode = 0;
  const context = {
    terminal,
    fail: () => {
      exitCode = FAILED;
    },
  };
  const program = new Command('lanflow')
    .description('Forms TensorFlow clusters on this machine and runs graphs on them.')
    .version(packageJson.version)
    .exitOverride()
    .showHelpAfterError('(add --help for what is possible)');
  // Only for the list of commands: `main` has dealt with it before.
  program.command('task').description(TASK_SUMMARY);
  for (const add of [addDemoCommand, addRunCommand, addDevicesCommand, addTraceCommand, addAppCommand, addWebCommand])
    add(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : WRONG_USAGE;
  }
}

process.exitCode = await main(process.argv.slice(2));
