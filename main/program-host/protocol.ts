import type { ClusterInput, Outcome, Program } from '../client/index.ts';

/** Which program: a sample by its name, or a user's module by its path. */
export type ProgramSource = { readonly sample: string } | { readonly module: string };

/** Which of a program's clients: the one of a task, or the only one. */
export type ClientOf = { readonly job: string; readonly index: number } | 'only';

/**
 * What the parent asks of a host process, one request after another; each is answered by a `result` or a `failure` with
 * the same id. Messages travel over Node's process channel, structured-cloned.
 */
export type Request =
  /** Answer: `Description`. */
  | { readonly kind: 'describe' }
  /** Answer: `Outcome`. Events come meanwhile. */
  | { readonly kind: 'run'; readonly client: ClientOf; readonly cluster: ClusterInput }
  /** Answer: list of problems, empty when the result is right. */
  | { readonly kind: 'check'; readonly outcomes: ReadonlyMap<string, Outcome> };

/** What a program says of itself, without its functions. */
export interface Description extends Pick<Program, 'name' | 'title' | 'cluster'> {
  readonly virtualGpus: number;
  /** One client for the cluster, or one per task. */
  readonly clients: 'one' | 'per task';
}

export interface Answers {
  describe: Description;
  run: Outcome;
  check: readonly string[];
}

export type ToHost =
  | { readonly kind: 'load'; readonly source: ProgramSource }
  | { readonly kind: 'request'; readonly id: number; readonly request: Request }
  | { readonly kind: 'stop' };

/** What a client tells while it runs. */
export type ClientEvent =
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'sample'; readonly series: string; readonly step: number; readonly value: number }
  /** `metadata` is a serialized RunMetadata. */
  | { readonly kind: 'trace'; readonly name: string; readonly metadata: Uint8Array }
  /** A session has been waiting for a task for a while. */
  | { readonly kind: 'wait'; readonly text: string };

export type FromHost =
  | { readonly kind: 'result'; readonly id: number; readonly value: Answers[keyof Answers] }
  | { readonly kind: 'failure'; readonly id: number; readonly code: number; readonly message: string }
  | { readonly kind: 'event'; readonly event: ClientEvent };
