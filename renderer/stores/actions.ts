import type { ChosenFile } from '../api/shell.ts';
import type { App } from './app.ts';

export const DEMO = 'ps-workers';

/** Starts a program and shows the run. Without a cluster, the one that the program wants is formed for it. */
export async function runProgram(app: App, program: string, cluster?: string): Promise<void> {
  await app.toasts.guard(async () => {
    const run = await app.runs.start(cluster === undefined ? { program } : { program, cluster });
    app.router.go('runs', run.id);
  });
}

/** Lets the user choose a run bundle, and shows the run in it. */
export async function chooseBundle(app: App): Promise<void> {
  await app.toasts.guard(async () => {
    const file = await app.shell.openFile(app.i18n.text('runs.import'), ['zip']);
    if (file) await openFile(app, file);
  });
}

/** Opens a file that was dropped, chosen or handed over by the system: a run bundle becomes a run, and is shown. */
export async function openFile(app: App, { name, content }: ChosenFile): Promise<void> {
  await app.toasts.guard(async () => {
    const run = await app.runs.import(name, content);
    app.toasts.say(app.i18n.text('runs.imported', { title: run.title }));
    app.router.go('runs', run.id);
  });
}
