import type { StatusError } from '#proto/wire/status.ts';
import type { Log } from './service/log.ts';

export interface TaskEnv {
  readonly log: Log;
  /** The process's environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The built program of device threads. */
  readonly threadEntry: URL;
}

/** A task that is listening. Who started it stops it. */
export interface RunningTask {
  /** `/job:ps/replica:0/task:1` */
  readonly task: string;
  /** `grpc://host:port`, with the port that it really has. */
  readonly target: string;
  /** What the task holds right now, in one line for people who look for a leak; undefined when that cannot be known. */
  state(): string | undefined;
  /** Resolves, with the reason, if the task ends without having been stopped. */
  readonly lost: Promise<StatusError>;
  /** Ends running steps and closes every connection; the port is free afterwards. */
  stop(): Promise<void>;
}
