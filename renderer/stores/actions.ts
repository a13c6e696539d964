import type { ChosenFile } from '../api/shell.ts';
import type { App } from './app.ts';

export const DEMO = 'ps-workers';

/** Starts a program and shows the run. Without a cluster, the one that the program wants is formed for it. */
export async function runProgram(app: App, program: string, cluster?: string): Promise<void> {
  await app.toasts.guard(async () => {
    if (!(await mayRun(app, program))) return;
    const run = await app.runs.start(cluster === undefined ? { program } : { program, cluster });
    app.router.go('runs', run.id);
  });
}

/** Makes a program ready to be run: what is typed is saved, and the user has let it in if it came from elsewhere. False: they have not. */
export async function mayRun({ programs, confirmation, i18n: { text } }: App, program: string): Promise<boolean> {
  await programs.drafts.flush(program);
  const { origin = '', title = program } = programs.find(program) ?? {};
  if (origin === '') return true;
  const question = {
    title: text('programs.trustTitle', { title }),
    text: text('programs.trustText', { origin }),
    action: text('programs.trust'),
  };
  if (!(await confirmation.ask(question))) return false;
  await programs.trust(program);
  return true;
}

/** As this version names run bundles, and as others may have. */
const bundleEndings = ['lanflowrun', 'zip'];

/** Lets the user choose a run bundle, and shows the run in it. */
export async function chooseBundle(app: App): Promise<void> {
  await chooseFile(app, app.i18n.text('runs.import'), bundleEndings);
}

/** A program of the user's own is made of these. */
const programEndings = ['ts', 'js', 'mts', 'mjs', 'pb', 'pbtxt', 'json', 'lanflowgraph'];

/** Lets the user choose a program, and shows it. */
export async function chooseProgram(app: App): Promise<void> {
  await chooseFile(app, app.i18n.text('programs.import'), programEndings);
}

/** Lets the user choose anything that the app can open. */
export async function chooseAny(app: App): Promise<void> {
  await chooseFile(app, app.i18n.text('programs.open'), [...bundleEndings, ...programEndings]);
}

async function chooseFile(app: App, title: string, endings: readonly string[]): Promise<void> {
  await app.toasts.guard(async () => {
    const file = await app.shell.openFile(title, endings);
    if (file) await openFile(app, file);
  });
}

/** Opens a file that was dropped, chosen or handed over by the system: it becomes a program or a run, and is shown. */
export async function openFile(app: App, { name, content }: ChosenFile): Promise<void> {
  const { i18n, programs, router, runs, toasts } = app;
  await toasts.guard(async () => {
    if (programEndings.some((ending) => name.toLowerCase().endsWith(`.${ending}`))) {
      const program = await programs.import(name, content);
      toasts.say(i18n.text('programs.imported', { title: program.title }));
      router.go('programs', program.name);
    } else {
      const run = await runs.import(name, content);
      toasts.say(i18n.text('runs.imported', { title: run.title }));
      router.go('runs', run.id);
    }
  });
}
