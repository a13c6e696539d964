import type { Completions, SourceProblem } from '#proto/ipc/contract.ts';

/** What the core asks of the language server, one request at a time. `file` is where the program lies; its text may not be saved yet. */
export type Request =
  | { readonly kind: 'check'; readonly file: string; readonly source: string }
  | { readonly kind: 'complete'; readonly file: string; readonly source: string; readonly offset: number };

export interface Answers {
  check: readonly SourceProblem[];
  complete: Completions;
}

export type FromServer =
  /** Once, when everything is loaded. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly value: Answers[keyof Answers] }
  | { readonly kind: 'failure'; readonly message: string };

/** What answers the requests: TypeScript, or something less where that is missing. */
export interface Language {
  check(file: string, source: string): Answers['check'] | Promise<Answers['check']>;
  complete(file: string, source: string, offset: number): Answers['complete'];
}
