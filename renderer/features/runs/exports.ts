import type { ExportFormat } from '#proto/ipc/contract.ts';
import type { App } from '../../stores/app.ts';

/** The formats of a whole run, most wanted first. Those of a single trace are on the screen of the trace. */
export const runFormats = ['bundle', 'series.csv', 'series.json', 'tensorboard'] as const satisfies readonly ExportFormat[];

/** Asks the core for the file and lets the user keep it. */
export async function exportRun({ core, shell, toasts, i18n }: App, run: string, format: ExportFormat): Promise<void> {
  await toasts.guard(async () => {
    const { name, content } = await core.call('runs.export', { run, format });
    if (await shell.saveFile(name, content)) toasts.say(i18n.text('runs.exported', { name }));
  });
}
