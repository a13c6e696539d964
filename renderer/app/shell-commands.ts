import type { ShellCommand } from '#proto/ipc/bridge.ts';
import { chooseBundle, DEMO, runProgram } from '../stores/actions.ts';
import type { App } from '../stores/app.ts';

/** What a choice in the native menu does. The command palette is the frame's own. */
export async function runShellCommand(app: App, command: Exclude<ShellCommand, 'commandPalette'>): Promise<void> {
  if (command === 'runDemo') await runProgram(app, DEMO);
  else if (command === 'openFile') await chooseBundle(app);
  else app.router.go(command);
}
