import type { ExportFormat } from '#proto/ipc/contract.ts';
import type { Saved } from '../../api/shell.ts';
import type { App } from '../../stores/app.ts';

export interface RunFormat {
  readonly id: ExportFormat;
  /** It holds one trace of the run. */
  readonly ofTrace: boolean;
}

/** Most wanted first. */
export const runFormats = [
  { id: 'bundle', ofTrace: false },
  { id: 'series.csv', ofTrace: false },
  { id: 'series.json', ofTrace: false },
  { id: 'tensorboard', ofTrace: false },
  { id: 'trace.json', ofTrace: true },
  { id: 'trace.pb', ofTrace: true },
  { id: 'nodes.csv', ofTrace: true },
] as const satisfies readonly RunFormat[];

/** Says that something was saved, and offers to show it where there is a file manager. Nothing was when the user changed their mind. */
export function saySaved({ shell, toasts, i18n }: App, name: string, saved: Saved | undefined): void {
  if (!saved) return;
  const { path } = saved;
  const show = shell.showInFolder;
  const action = path !== undefined && show && { title: i18n.text('runs.showInFolder'), run: () => toasts.guard(() => show(path)) };
  toasts.say(i18n.text('runs.exported', { name }), action || undefined);
}
