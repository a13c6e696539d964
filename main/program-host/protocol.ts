import type { Pins, RunPlan } from '#proto/ipc/contract.ts';
import type { ClusterInput, Outcome, PlacementConfig, Program } from '../client/index.ts';

/**
 * Which program: a sample by its name, a user's module by its path, or a graph by its path: a graph document (`.lanflow.json`)
 * or a GraphDef (`.pb`, `.pbtxt`).
 */
export type ProgramSource = { readonly sample: string } | { readonly module: string } | { readonly graph: string };

/** Which of a program's clients: the one of a task, or the only one. */
export type ClientOf = { readonly job: string; readonly index: number } | 'only';

/** What is asked of a client beyond what its program does. */
export interface ClientOrders {
  readonly plan: RunPlan;
  readonly pins: Pins;
  /** Of a graph: the master that is dialled instead of the task that would be. */
  readonly target?: string;
  /** Limit for each call of a session but a step, in milliseconds. */
  readonly operationTimeoutMs?: number;
  /** Of a graph: when a task is lost, wait until its variables are initialized again, instead of failing. */
  readonly holdsOnLoss?: boolean;
}

/**
 * What the parent asks of a host process, one request after another; each is answered by a `result` or a `failure` with
 * the same id. Messages travel over Node's process channel, structured-cloned.
 */
export type Request =
  /** Answer: `Description`. */
  | { readonly kind: 'describe' }
  /** Answer: `Outcome`. Events come meanwhile. */
  | { readonly kind: 'run'; readonly client: ClientOf; readonly cluster: ClusterInput; readonly orders: ClientOrders }
  /** Answer: notes, in words, on what was not reached. The graphs come as events. */
  | { readonly kind: 'rehearse'; readonly client: ClientOf; readonly cluster: ClusterInput }
  /**
   * While a run goes on: runs the initializers of all variables of its sessions, but for those in `done`, which another client has
   * initialized. Answer: the variables that were initialized, each with its place.
   */
  | { readonly kind: 'reinitialize'; readonly done: readonly string[] }
  /** Answer: list of problems, empty when the result is right. */
  | { readonly kind: 'check'; readonly outcomes: ReadonlyMap<string, Outcome> };

/** What a program says of itself, without its functions. */
export interface Description extends Pick<Program, 'name' | 'title' | 'cluster'> {
  readonly virtualGpus: number;
  /** One client for the cluster, or one per task. */
  readonly clients: 'one' | 'per task';
  /** It can tell whether its result is right. */
  readonly isChecked?: boolean;
}

export interface Answers {
  describe: Description;
  run: Outcome;
  rehearse: readonly string[];
  reinitialize: readonly string[];
  check: readonly string[];
}

/** How a client goes on: held before its next step, going on, one step further while held, its next step traced. */
export type Steer = 'pause' | 'resume' | 'step' | 'trace';

export type ToHost =
  | { readonly kind: 'load'; readonly source: ProgramSource }
  | { readonly kind: 'request'; readonly id: number; readonly request: Request }
  | { readonly kind: 'steer'; readonly steer: Steer }
  | { readonly kind: 'stop' };

/** What a client tells while it runs. */
export type ClientEvent =
  | { readonly kind: 'log'; readonly text: string }
  | { readonly kind: 'sample'; readonly series: string; readonly step: number; readonly value: number }
  /** `metadata` is a serialized RunMetadata. */
  | { readonly kind: 'trace'; readonly name: string; readonly metadata: Uint8Array }
  /** A session has been waiting for a task for a while. */
  | { readonly kind: 'wait'; readonly text: string }
  /** Something about the run itself that its user should know. */
  | { readonly kind: 'notice'; readonly text: string }
  /** Steps that it has run so far. */
  | { readonly kind: 'steps'; readonly count: number }
  /**
   * A graph that was sent, serialized; told again when it has grown. The first of a client has number 1. In a rehearsal with what its
   * session says of its placement.
   */
  | { readonly kind: 'graph'; readonly number: number; readonly graphDef: Uint8Array; readonly config?: PlacementConfig }
  /** Once, at its end: what of that which was to be watched is in its graphs, and what is not. */
  | { readonly kind: 'watched'; readonly found: readonly string[]; readonly missing: readonly string[] };

export type FromHost =
  | { readonly kind: 'result'; readonly id: number; readonly value: Answers[keyof Answers] }
  | {
      readonly kind: 'failure';
      readonly id: number;
      readonly code: number;
      readonly message: string;
      readonly details: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'event'; readonly event: ClientEvent };
