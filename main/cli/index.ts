#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { ownDataFolder } from '../store/data-folder.ts';
import { labFile, userFiles } from '../store/lab/lab-storage.ts';
import { showCertificate } from '../store/lab/lab-variables.ts';
import { AGENT_SUMMARY, runAgent } from './commands/agent.ts';
import { addAppCommand } from './commands/app.ts';
import { addClusterCommand } from './commands/cluster.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDevicesCommand } from './commands/devices.ts';
import { addGatewayCommand } from './commands/gateway.ts';
import { addInstallCommand } from './commands/install.ts';
import { addLabCommand } from './commands/lab.ts';
import { addMachinesCommand } from './commands/machines.ts';
import { addPairCommand } from './commands/pair.ts';
import { addPlaceCommand } from './commands/place.ts';
import { addRunCommand } from './commands/run.ts';
import { runTask, TASK_SUMMARY } from './commands/task.ts';
import { addTraceCommand } from './commands/trace.ts';
import { addUninstallCommand } from './commands/uninstall.ts';
import { addWebCommand } from './commands/web.ts';
import { createTerminal } from './terminal.ts';

const FAILED = 1;
const WRONG_USAGE = 2;

/** The whole command line. Resolves to the exit code: 0, 1 (failed) or 2 (wrong usage). */
async function main(args: readonly string[]): Promise<number> {
  // A task parses its own flags, and so does an agent: it is also started without this command line, and should be up at once.
  if (args[0] === 'task') return runTask(args.slice(1));
  if (args[0] === 'agent') return runAgent(args.slice(1));
  const terminal = createTerminal();
  const data = ownDataFolder();
  if (existsSync(labFile(data))) showCertificate(userFiles(data), process.env);
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
  program.command('agent').description(AGENT_SUMMARY);
  for (const add of [
    addDemoCommand,
    addRunCommand,
    addDevicesCommand,
    addPlaceCommand,
    addTraceCommand,
    addMachinesCommand,
    addInstallCommand,
    addUninstallCommand,
    addPairCommand,
    addClusterCommand,
    addGatewayCommand,
    addLabCommand,
    addAppCommand,
    addWebCommand,
  ])
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
