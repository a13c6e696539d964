import type { AreaHandlers } from '../handler.ts';
import type { ProgramLibrary } from '../programs/program-library.ts';

/** What an editor asks about a source text. */
export type LanguageHandlers = Pick<AreaHandlers<'programs'>, 'programs.check' | 'programs.complete'>;

export function programHandlers(library: ProgramLibrary, language: LanguageHandlers): AreaHandlers<'programs'> {
  return {
    'programs.list': () => library.list(),
    'programs.read': async ({ program }) => ({ source: await library.read(program) }),
    'programs.create': (draft) => library.create(draft),
    'programs.import': (file) => library.import(file),
    'programs.write': (text) => library.write(text),
    'programs.rename': (names) => library.rename(names),
    'programs.trust': ({ program }) => library.trust(program),
    'programs.delete': async ({ program }) => {
      await library.delete(program);
      return null;
    },
    ...language,
    'programs.pins': ({ program }) => library.pins(program),
    'programs.setPins': (pins) => library.setPins(pins),
  };
}
