/**
 * The one contract between the core (all state, all work) and its windows (show it). A window asks by `Calls` and hears by
 * `Events`; both travel as frames (`frames.ts`) through the shell's pipes or a WebSocket. Names are `area.verb` and
 * `area.changed`. Everything here survives the codec: plain objects, arrays, typed arrays, bigint. Paths, addresses and
 * texts from a window are checked by the core before use. A call that fails rejects with a StatusError.
 *
 * High-rate data comes in batches of columns, at most 20 a second for each run; large data stays in the core, and a window asks for
 * the part it shows.
 */
export interface Calls {
  'app.info': { argument: null; result: AppInfo };

  'settings.get': { argument: null; result: Settings };
  /** Only the given fields change. */
  'settings.set': { argument: Partial<Settings>; result: Settings };

  'machines.list': { argument: null; result: readonly MachineInfo[] };

  'programs.list': { argument: null; result: readonly ProgramInfo[] };
  /** Source text of a sample or of an opened module. */
  'programs.read': { argument: { program: string }; result: { source: string } };

  'clusters.list': { argument: null; result: readonly ClusterInfo[] };
  /** Creates a cluster without `id`, else changes one that is not running. */
  'clusters.save': { argument: ClusterDraft; result: ClusterInfo };
  'clusters.remove': { argument: { cluster: string }; result: null };
  /** Resolves when all tasks listen. Progress comes as `clusters.changed`. */
  'clusters.start': { argument: { cluster: string }; result: ClusterInfo };
  /** Ends all tasks; sessions end CANCELLED or UNAVAILABLE. */
  'clusters.stop': { argument: { cluster: string }; result: ClusterInfo };
  'clusters.restartTask': { argument: { cluster: string; task: string }; result: null };
  /** For seeing what happens: `kill` ends the process at once, `pause` and `resume` stop and continue it. */
  'clusters.disturbTask': { argument: { cluster: string; task: string; how: 'kill' | 'pause' | 'resume' }; result: null };
  /** Frees variables and queues on all tasks. */
  'clusters.clearVariables': { argument: { cluster: string }; result: null };
  /** The cluster in the forms people paste elsewhere. */
  'clusters.export': { argument: { cluster: string }; result: ClusterExport };
  /** Reads any of those forms; INVALID_ARGUMENT says what is wrong with the text. */
  'clusters.parse': { argument: { text: string }; result: Pick<ClusterDraft, 'jobs'> };

  /** Starts a run; resolves as soon as it exists. Its life comes as `runs.changed`. */
  'runs.start': { argument: RunRequest; result: RunInfo };
  /** Ends all clients within a second, then the cluster that was formed for the run. */
  'runs.stop': { argument: { run: string }; result: RunInfo };
  'runs.list': { argument: null; result: readonly RunInfo[] };
  'runs.get': { argument: { run: string }; result: RunInfo };
  /**
   * Points of some series in a window of steps, thinned to at most `points` each (8 or more), never losing an extreme. Samples that
   * were told before the answer are part of it; those told later are not.
   */
  'runs.series': { argument: SeriesQuery; result: readonly SeriesColumns[] };
  /** Log lines from number `from` on, at most 2000. */
  'runs.logs': { argument: { run: string; from: number }; result: LogPage };
  'runs.traces': { argument: { run: string }; result: readonly TraceInfo[] };
  'runs.trace': { argument: { run: string; trace: string }; result: TraceView };
  'runs.rename': { argument: { run: string; title: string; note: string }; result: RunInfo };
  'runs.delete': { argument: { run: string }; result: null };
  /** The file's content; where it is saved is the window's or the shell's business. */
  'runs.export': { argument: ExportRequest; result: ExportedFile };
  /** A run bundle from another machine. */
  'runs.import': { argument: { name: string; content: Uint8Array }; result: RunInfo };
}

export interface Events {
  'settings.changed': Settings;
  'clusters.changed': { readonly clusters: readonly ClusterInfo[] };
  'runs.changed': { readonly run: RunInfo };
  'runs.removed': { readonly run: string };
  'runs.samples': { readonly run: string; readonly series: readonly SeriesColumns[] };
  'runs.logged': { readonly run: string; readonly lines: readonly LogLine[] };
}

export type CallName = keyof Calls;
export type EventName = keyof Events;

export interface AppInfo {
  readonly version: string;
  /** Changes when core and window no longer understand each other. */
  readonly contractVersion: number;
  /** Names and versions of what runs: Node, operating system, backends. */
  readonly versions: Readonly<Record<string, string>>;
  readonly dataFolder: string;
  readonly logFile: string;
  readonly platform: string;
}

export interface Settings {
  /** `system` follows the operating system. */
  readonly language: 'system' | 'en' | 'zh-CN';
  readonly theme: 'system' | 'light' | 'dark';
}

/** A computer that tasks can run on. */
export interface MachineInfo {
  readonly id: string;
  readonly name: string;
  readonly isThis: boolean;
  readonly addresses: readonly string[];
  readonly system: string;
  readonly cores: number;
  /** Bytes. */
  readonly memoryTotal: number;
  readonly memoryFree: number;
  /** Share of all cores in use, 0 to 1. */
  readonly load: number;
  readonly gpus: readonly string[];
}

export interface ProgramInfo {
  readonly name: string;
  /** One line: what it teaches. */
  readonly title: string;
  /** Tasks per job that it wants. */
  readonly cluster: Readonly<Record<string, number>>;
  readonly virtualGpus: number;
  readonly clients: 'one' | 'per task';
}

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
}

export interface ClusterInfo {
  readonly id: string;
  readonly title: string;
  readonly state: ClusterState;
  readonly jobs: readonly JobInfo[];
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
}

/** One cluster in five forms. */
export interface ClusterExport {
  readonly python: string;
  readonly json: string;
  readonly hostfile: string;
  /** TF_CONFIG by task name. */
  readonly tfConfig: Readonly<Record<string, string>>;
  /** A ready Python client. */
  readonly client: string;
}

export interface RunRequest {
  readonly program: string;
  /** A running cluster; without one, the cluster that the program wants is formed for the run. */
  readonly cluster?: string;
  readonly title?: string;
}

export type RunState = 'starting' | 'running' | 'stopping' | 'finished' | 'failed' | 'stopped';

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
  /** Tasks of its cluster. */
  readonly tasks: readonly string[];
  /** Clients that have logged or sampled: `client`, or task names. */
  readonly clients: readonly string[];
  readonly series: readonly SeriesInfo[];
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
}

export interface SeriesInfo {
  /** Unique within its client. */
  readonly name: string;
  readonly client: string;
  readonly points: number;
  readonly last: number;
}

export interface SeriesQuery {
  readonly run: string;
  /** All when empty. */
  readonly series: readonly Pick<SeriesInfo, 'client' | 'name'>[];
  readonly fromStep: number;
  readonly toStep: number;
  readonly points: number;
}

/** Samples of one series, by step. NaN and infinities are values, not gaps. */
export interface SeriesColumns {
  readonly client: string;
  readonly name: string;
  readonly steps: Float64Array;
  readonly values: Float64Array;
  /** Unix epoch in milliseconds. */
  readonly times: Float64Array;
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

export interface TraceInfo {
  readonly id: string;
  readonly name: string;
  readonly client: string;
  /** Microseconds. */
  readonly duration: number;
  readonly devices: readonly string[];
  readonly entries: number;
}

/** A timeline in columns: entry k of a device has element k of each. Times in microseconds from the start of the trace. */
export interface TraceView extends TraceInfo {
  readonly lanes: readonly TraceDevice[];
}

export interface TraceDevice {
  readonly device: string;
  readonly rows: number;
  readonly names: readonly string[];
  readonly ops: readonly string[];
  readonly row: Uint16Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly scheduled: Float64Array;
  readonly bytes: Float64Array;
  /** Of a transfer: the tensor that it brings, as `edge_12_w/read`. */
  readonly inputs: readonly (readonly string[])[];
  /** Device that a transfer came from; empty for ops. */
  readonly from: readonly string[];
}

export type ExportFormat = 'bundle' | 'series.csv' | 'series.json' | 'trace.json' | 'trace.pb' | 'nodes.csv' | 'tensorboard';

export interface ExportRequest {
  readonly run: string;
  readonly format: ExportFormat;
  /** For the formats that hold one trace. */
  readonly trace?: string;
}

export interface ExportedFile {
  /** Suggested name. */
  readonly name: string;
  readonly content: Uint8Array;
}
