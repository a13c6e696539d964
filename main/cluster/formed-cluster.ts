import type { ClusterSpec } from '../client/index.ts';

/** What a run wants of the cluster that is formed for it. */
export interface ClusterWants {
  /** Number of tasks of each job. */
  readonly jobs: Readonly<Record<string, number>>;
  /** Pretended graphics cards of every task. */
  readonly virtualGpus: number;
  /** One line whenever a task has come up, or says why it has not. */
  readonly onProgress: (text: string) => void;
  /** What the tasks log, by task name. */
  readonly onLog: (task: string, line: string) => void;
  readonly signal?: AbortSignal;
}

/** A cluster that stands until whoever had it formed stops it. */
export interface FormedCluster {
  readonly spec: ClusterSpec;
  /** Ends all tasks; resolves when their processes are gone. */
  stop(): Promise<void>;
}

/** Resolves when every task listens. When one does not come up the others are stopped, and its error is passed on. */
export type FormCluster = (wants: ClusterWants) => Promise<FormedCluster>;
