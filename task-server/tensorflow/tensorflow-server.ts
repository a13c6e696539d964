import type { ClusterDef } from '#proto/generated/tensorflow/cluster_pb.ts';
import type { StatusError } from '#proto/wire/status.ts';

export interface TensorFlowServerOptions {
  readonly cluster: ClusterDef;
  readonly job: string;
  readonly task: number;
  /** Where libtensorflow is: the file, or a folder that holds it. Without it the usual places are searched. */
  readonly libtensorflow?: string | undefined;
}

/** What hosting a genuine server needs from the process around it. */
export interface TensorFlowServerEnv {
  /** Variables that say where TensorFlow may be, as in `FindEnv`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** One line for the person who started the task. */
  log(line: string): void;
}

/**
 * A genuine TensorFlow server that is listening. It serves every interface of the machine without authentication; there
 * is no way to make it serve fewer.
 */
export interface TensorFlowServer {
  /** `grpc://host:port`, with the port that it really has. */
  readonly target: string;
  /** Where it runs, for the log: `libtensorflow 2.21.0 at /…` or `Python at /…`. */
  readonly description: string;
  /** Resolves, with the reason, if the server ends without having been stopped. */
  readonly lost: Promise<StatusError>;
  /**
   * Ends what can be ended. TensorFlow has no clean stop: a server inside this process ends with the process, so the
   * caller exits right afterwards.
   */
  stop(): Promise<void>;
}
