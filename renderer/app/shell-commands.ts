import type { ShellCommand } from '#proto/ipc/bridge.ts';
import { chooseAny, DEMO, runProgram } from '../stores/actions.ts';
import type { App } from '../stores/app.ts';
import { isRunCommand, runMenuCommand } from './run-commands.ts';

/** What a choice in the native menu does. The command palette is the frame's own. */
export async function runShellCommand(app: App, command: Exclude<ShellCommand, 'commandPalette'>): Promise<void> {
  if (isRunCommand(command)) await runMenuCommand(app, command);
  else if (command === 'runDemo') await runProgram(app, DEMO);
  else if (command === 'openFile') await chooseAny(app);
  else app.router.go(command);
}
