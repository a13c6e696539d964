import type { ProgramFile } from './program-files.ts';

/** What a program said of itself when it was last loaded. */
export interface LearntProgram {
  /** Of the file that it was loaded from. */
  readonly stamp: string;
  readonly title: string;
  readonly cluster: Readonly<Record<string, number>>;
  readonly virtualGpus: number;
  readonly clients: 'one' | 'per task';
}

/** What is known of a program of the user's own besides its file. */
export interface ProgramFacts {
  /** As the user named it. */
  readonly title: string;
  /** The program's own title when it was named; one that it has later counts more. */
  readonly declared?: string;
  readonly learnt?: LearntProgram;
  /** The file that it was imported from, until the user has let it run. */
  readonly origin?: string;
}

/** Code that came from elsewhere and must not run yet; to load a module is to run it. */
export function isStranger({ kind }: Pick<ProgramFile, 'kind'>, facts: ProgramFacts | undefined): boolean {
  return kind === 'code' && facts?.origin !== undefined;
}

/** As the user named it, unless the program has another title of its own since then. */
export function titleOf({ name }: Pick<ProgramFile, 'name'>, facts: ProgramFacts | undefined): string {
  const own = facts?.learnt?.title ?? '';
  return own !== '' && own !== facts?.declared ? own : (facts?.title ?? name);
}
