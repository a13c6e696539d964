import type { ProgramInfo } from '#proto/ipc/contract.ts';
import type { App } from '../../stores/app.ts';
import { programTitle } from '../../stores/lessons.ts';

/** How long a deleted program can be had back. */
const UNDO_MS = 12_000;

export type NewKind = 'code' | 'graph';

/** Shows what was made; says so when it could not be. */
export async function createProgram(app: App, kind: NewKind, title: string): Promise<void> {
  await app.toasts.guard(async () => {
    const { name } = await app.programs.create({ kind, title });
    if (kind === 'graph') app.router.go('draw', name);
    else app.router.go('programs', name);
  });
}

/** A copy that is the user's own. */
export async function duplicateProgram(app: App, program: ProgramInfo): Promise<void> {
  const title = app.i18n.text('programs.copyOf', { title: programTitle(app.i18n, program.name, program.title) });
  await app.toasts.guard(async () => {
    const kind = program.kind === 'sample' ? 'code' : program.kind;
    const copy = await app.programs.create({ kind, title, from: program.name });
    app.toasts.say(app.i18n.text('programs.duplicated', { title: copy.title }));
    app.router.go('programs', copy.name);
  });
}

export async function renameProgram(app: App, program: ProgramInfo, title: string): Promise<void> {
  await app.toasts.guard(async () => {
    const { name } = await app.programs.rename(program.name, title);
    app.router.go('programs', name);
  });
}

/** Deletes it in a while, in which it can be had back. */
export async function deleteProgram(app: App, { name, title }: ProgramInfo): Promise<void> {
  const { i18n, programs, router, toasts } = app;
  await toasts.guard(async () => {
    await programs.remove(name, UNDO_MS, toasts.fail);
    router.go('programs');
    toasts.say(i18n.text('programs.deleted', { title }), {
      title: i18n.text('programs.undo'),
      run: () =>
        toasts.guard(async () => {
          await programs.restore(name);
          router.go('programs', name);
        }),
    });
  });
}
