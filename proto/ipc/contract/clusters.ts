/** Where a cluster is in its life. `degraded`: running, but at least one task is not. */
export type ClusterState = 'stopped' | 'starting' | 'running' | 'degraded' | 'stopping';

export interface ClusterDraft {
  readonly id?: string;
  readonly title: string;
  readonly jobs: readonly JobDraft[];
}

export interface JobDraft {
  readonly name: string;
  readonly tasks: readonly TaskDraft[];
}

export interface TaskDraft {
  readonly index: number;
  readonly machine: string;
  readonly engine: 'bundled' | 'tensorflow';
  /** 0 chooses a free one at every start. */
  readonly port: number;
  readonly virtualGpus: number;
  /** It is started again when it ends by itself; off when absent. */
  readonly restart?: boolean;
}

export interface ClusterInfo {
  readonly id: string;
  readonly title: string;
  readonly state: ClusterState;
  readonly jobs: readonly JobInfo[];
  /** Under which `host:port` programs on this computer reach its tasks, by task name, while its gateway is open; absent otherwise. */
  readonly gateway?: Readonly<Record<string, string>>;
  /** Absent when it is open to nobody who knows no TLS. Genuine TensorFlow tasks, which are open to everybody, are not counted. */
  readonly openings?: readonly OpeningInfo[];
}

/** A network whose machines may connect to tasks in plain text, and do there whatever they like. */
export interface OpeningInfo {
  /** `192.168.1.0/24` */
  readonly network: string;
  /** When it ends by itself, by this machine's clock: Unix epoch in milliseconds. 0: with the tasks, and not before. */
  readonly closesAt: number;
  /** `host:port` under which machines of the network reach the tasks that are open, or will be once they are back, by task name. */
  readonly addresses: Readonly<Record<string, string>>;
}

export interface JobInfo {
  readonly name: string;
  readonly tasks: readonly TaskInfo[];
}

/** `waiting`: not up yet, `reason` says why; `lost`: it ended or does not answer. */
export type TaskState = 'stopped' | 'starting' | 'waiting' | 'running' | 'paused' | 'lost';

export interface TaskInfo extends TaskDraft {
  /** `/job:ps/replica:0/task:0` */
  readonly name: string;
  readonly state: TaskState;
  /** Why it waits or was lost, with the way out; empty otherwise. */
  readonly reason: string;
  /** `host:port`; empty before it is known. */
  readonly address: string;
  /** Unix epoch in milliseconds; 0 when it does not run. */
  readonly startedAt: number;
  /** 16 hex digits; empty when it does not run. */
  readonly incarnation: string;
  /** Resident bytes of its process; 0 when unknown. */
  readonly memory: number;
  /** Milliseconds since it last answered; -1 when it never did. */
  readonly heartbeatAge: number;
  /** Steps it takes part in, over the last seconds; -1 when unknown. */
  readonly stepsPerSecond: number;
  /** How often it was started again since the cluster was. */
  readonly restarts: number;
}

/** One cluster in five forms. */
export interface ClusterExport {
  readonly python: string;
  readonly json: string;
  readonly hostfile: string;
  /** TF_CONFIG by task name. */
  readonly tfConfig: Readonly<Record<string, string>>;
  /** A ready Python client; of the gateway while that is open. */
  readonly client: string;
}
