import type { SeriesInfo } from './recorded.ts';

export interface RunRequest {
  readonly program: string;
  /** A running cluster; without one, the cluster that the program wants is formed for the run. */
  readonly cluster?: string;
  readonly title?: string;
  readonly plan?: RunPlan;
}

/** How a program is run. Samples and code decide on their own what a step is; feeds, fetches, targets and steps are for graphs. */
export interface RunPlan {
  /** Milliseconds between two steps of a client. */
  readonly interval?: number;
  /** Variables, or other tensors, whose value is plotted. */
  readonly watch?: readonly string[];
  /** Every n-th step is traced; 0 traces none. */
  readonly traceEvery?: number;
  /** Nodes that are run once, before the first step. */
  readonly initialize?: readonly string[];
  /** Values as JSON, by tensor. */
  readonly feeds?: Readonly<Record<string, string>>;
  readonly fetches?: readonly string[];
  readonly targets?: readonly string[];
  /** 0 goes on until it is stopped. */
  readonly steps?: number;
}

export type RunState = 'starting' | 'running' | 'paused' | 'stopping' | 'finished' | 'failed' | 'stopped';

/** A task that was started again while a run went on: the variables that it had are gone. */
export interface TaskRestart {
  /** `/job:ps/replica:0/task:0` */
  readonly task: string;
  /** When it was heard of; Unix epoch in milliseconds, by the clock that the samples have. */
  readonly at: number;
}

export interface RunInfo {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly program: string;
  readonly programTitle: string;
  readonly state: RunState;
  /** What it does or waits for now; the error's text when it failed. */
  readonly status: string;
  /** Name of the error's code when it failed. */
  readonly errorCode: string;
  /** The user's cluster that it was started on; absent where one was formed for it, or somebody else knows. */
  readonly clusterId?: string;
  /** Tasks of its cluster. */
  readonly tasks: readonly string[];
  /** Of the tasks of a user's cluster, in the order in which they happened. */
  readonly restarts: readonly TaskRestart[];
  /** Clients that have logged or sampled: `client`, or task names. */
  readonly clients: readonly string[];
  readonly series: readonly SeriesInfo[];
  /** Steps that its clients have run. */
  readonly steps: number;
  readonly traces: number;
  readonly logLines: number;
  /** Unix epoch in milliseconds. */
  readonly startedAt: number;
  /** 0 while it goes on. */
  readonly endedAt: number;
  /** What the program handed back, by client. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** What is wrong with the result; empty when it is right or not known yet. */
  readonly problems: readonly string[];
  /** The program knows what result is right, and this one was looked at. */
  readonly isChecked?: boolean;
}

export interface LogLine {
  /** From 0 on, without gaps. */
  readonly number: number;
  readonly time: number;
  /** Who said it: a client, a task's name, or `lanflow`. */
  readonly source: string;
  readonly kind: 'client' | 'task' | 'wait' | 'progress' | 'error';
  readonly text: string;
}

export interface LogPage {
  readonly lines: readonly LogLine[];
  readonly total: number;
}

export type ExportFormat = 'bundle' | 'series.csv' | 'series.json' | 'trace.json' | 'trace.pb' | 'nodes.csv' | 'tensorboard';

export interface ExportRequest {
  readonly run: string;
  readonly format: ExportFormat;
  /** For the formats that hold one trace. */
  readonly trace?: string;
}
