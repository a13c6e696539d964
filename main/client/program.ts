import type { RunMetadata } from '#proto/generated/tensorflow/run_options_pb.ts';
import type { Graph } from './graph.ts';
import type { ClusterSpec } from './session/cluster-spec.ts';
import type { Session, SessionOptions } from './session/session.ts';

/** What a client of a program hands back: named numbers, lists of numbers and texts, by which the result is judged. */
export type Outcome = Readonly<Record<string, number | readonly number[] | string | readonly string[]>>;

/** Outcomes by client: `client` for an in-graph program, `/job:worker/replica:0/task:0` and so on for a between-graph one. */
export type Outcomes = ReadonlyMap<string, Outcome>;

/**
 * What a program has at hand while it runs. Sessions made through it are closed when the client ends, however it ends.
 */
export interface ProgramContext {
  readonly cluster: ClusterSpec;
  /** `grpc://host:port` of a task. Throws INVALID_ARGUMENT when the cluster has no such task. */
  target(job: string, index: number): string;
  /** A session whose master is the given task. */
  session(graph: Graph, job: string, index: number, options?: Omit<SessionOptions, 'graph' | 'cluster'>): Session;
  /** A session on a private task of its own, which shares nothing with any other. `virtualGpus` pretends graphics cards. */
  localSession(graph: Graph, options?: { readonly virtualGpus?: number }): Session;
  /** One line for the user. */
  log(text: string): void;
  /** One point of a series; without a step, at the number of steps that this client has run. */
  sample(series: string, step: number, value: number): void;
  sample(series: string, value: number): void;
  /** Hands over the trace of a step, to be shown or written to a file under this name. */
  trace(name: string, metadata: RunMetadata): void;
  /** Rejects with the signal's reason when the run is stopped meanwhile. */
  sleep(milliseconds: number): Promise<void>;
  /** Aborted when the user stops the run. */
  readonly signal: AbortSignal;
}

/** What the client of one task has at hand in a between-graph program. */
export interface TaskContext extends ProgramContext {
  readonly job: string;
  readonly index: number;
}

/**
 * A program a user can run: either `run`, one client for the whole cluster (in-graph replication), or `task`, one client
 * per task, each in a process of its own (between-graph replication).
 */
export interface Program {
  /** kebab-case; what `lanflow run` takes. */
  readonly name: string;
  /** One line: what it teaches. */
  readonly title: string;
  /**
   * Tasks per job that it wants: they are started when the user brings no cluster, and one that the user brings has them and may have
   * more. Empty when it makes its own local sessions only.
   */
  readonly cluster: Readonly<Record<string, number>>;
  /** Pretended graphics cards per task, for lessons about several cards. */
  readonly virtualGpus?: number;
  run?(context: ProgramContext): Promise<Outcome>;
  task?(context: TaskContext): Promise<Outcome>;
  /** What is wrong with the outcomes, in words; nothing when the result is the right one. */
  check?(outcomes: Outcomes): readonly string[];
}

/** Checks a program's definition; the identity otherwise. Gives user modules their types. */
export function defineProgram(program: Program): Program {
  if ((program.run === undefined) === (program.task === undefined)) {
    throw new TypeError(`Program '${program.name}' must have either run (one client) or task (one client per task)`);
  }
  return program;
}

/** The key of an in-graph program's only client in its outcomes. */
export const ONLY_CLIENT = 'client';
