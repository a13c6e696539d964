import { failedPrecondition } from '#proto/wire/status.ts';
import type { ProgramSource } from '../../program-host/protocol.ts';
import type { AreaHandlers } from '../handler.ts';
import type { LanguageService } from './language-service.ts';

type LanguageHandlers = Pick<AreaHandlers<'programs'>, 'programs.check' | 'programs.complete'>;

/** `sourceOf` finds a program by its name. FAILED_PRECONDITION for what is no code of the user. */
export function languageHandlers(service: LanguageService, sourceOf: (program: string) => ProgramSource): LanguageHandlers {
  const fileOf = (program: string): string => {
    const source = sourceOf(program);
    if ('module' in source) return source.module;
    throw failedPrecondition(`'${program}' is no code of your own; only such is checked as it is typed`);
  };
  return {
    'programs.check': ({ program, source }) => service.check(fileOf(program), source),
    'programs.complete': ({ program, source, offset }) => service.complete(fileOf(program), source, offset),
  };
}
