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

  'settings.get': { argument: null; result: EffectiveSettings };
  /** Only the given fields change. */
  'settings.set': { argument: Partial<Settings>; result: EffectiveSettings };
  /** What the host application of an embedded Lanflow decides, as long as this core runs; what is left out is the user's choice again. */
  'settings.setByHost': { argument: Partial<Settings>; result: EffectiveSettings };

  'machines.list': { argument: null; result: readonly MachineInfo[] };

  'programs.list': { argument: null; result: readonly ProgramInfo[] };
  /** Source text of a sample, of one of the user's own programs or of an opened module; of a graph document its JSON. */
  'programs.read': { argument: { program: string }; result: { source: string } };
  /** A new program of the user's own: empty, or with the source of another one. Its name is made from the title. */
  'programs.create': { argument: { kind: 'code' | 'graph'; title: string; from?: string }; result: ProgramInfo };
  /** Takes a copy of a module (.ts, .js), a graph document (.lanflow.json) or a GraphDef (.pb, .pbtxt) among the user's own programs. */
  'programs.import': { argument: { name: string; content: Uint8Array }; result: ProgramInfo };
  /** Saves the source of one of the user's own programs, whole or not at all. */
  'programs.write': { argument: { program: string; source: string }; result: ProgramInfo };
  'programs.rename': { argument: { program: string; title: string }; result: ProgramInfo };
  /** Lets a program run that came from elsewhere: it can do everything its user can. */
  'programs.trust': { argument: { program: string }; result: ProgramInfo };
  'programs.delete': { argument: { program: string }; result: null };
  /** What is wrong with a source text, saved or not. */
  'programs.check': { argument: { program: string; source: string }; result: readonly SourceProblem[] };
  /** What may be typed at a place of a source text. */
  'programs.complete': { argument: { program: string; source: string; offset: number }; result: Completions };
  /** Where the user wants nodes to be: an overlay by name that survives changes of the program. */
  'programs.pins': { argument: { program: string }; result: Pins };
  'programs.setPins': { argument: { program: string; pins: Pins }; result: Pins };

  /** The graph that a client of a program builds (found out by a rehearsal in which no step runs), or that a run has recorded. */
  'graphs.view': { argument: GraphQuery; result: GraphView };
  'graphs.node': { argument: GraphQuery & { node: string }; result: NodeDetails };
  /**
   * Where the master would put the nodes, pins applied; on the tasks of a cluster, running or not, or of the one that the program wants.
   * What stands in the way of a placement is part of the result.
   */
  'graphs.place': { argument: GraphQuery & { cluster?: string }; result: PlacementView };
  /** With pins applied. */
  'graphs.export': { argument: GraphQuery & { format: 'pb' | 'pbtxt' }; result: ExportedFile };

  'clusters.list': { argument: null; result: readonly ClusterInfo[] };
  /**
   * Creates a cluster without `id`, else changes one. Of a running one, title and `restart` change at once; anything else starts
   * tasks anew in place, all of them when an address changes, so that variables are lost: resolves then as a start does.
   */
  'clusters.save': { argument: ClusterDraft; result: ClusterInfo };
  'clusters.remove': { argument: { cluster: string }; result: null };
  /** Resolves when all tasks listen. Progress comes as `clusters.changed`. */
  'clusters.start': { argument: { cluster: string }; result: ClusterInfo };
  /** Ends all tasks; sessions end CANCELLED or UNAVAILABLE. */
  'clusters.stop': { argument: { cluster: string }; result: ClusterInfo };
  'clusters.restartTask': { argument: { cluster: string; task: string }; result: null };
  /** For seeing what happens: `kill` ends the process at once, `pause` and `resume` stop and continue it. */
  'clusters.disturbTask': { argument: { cluster: string; task: string; how: 'kill' | 'pause' | 'resume' }; result: null };
  /** What a task has said, from number `from` on; the last 5000 lines are kept, by the agent of its machine. */
  'clusters.logs': { argument: { cluster: string; task: string; from: number }; result: LogPage };
  /** The devices of a cluster: real ones while it runs, else those that it will have. */
  'clusters.devices': { argument: { cluster: string }; result: readonly DeviceSummary[] };
  /** Frees variables and queues on all tasks. */
  'clusters.clearVariables': { argument: { cluster: string }; result: null };
  /** The cluster in the forms people paste elsewhere. */
  'clusters.export': { argument: { cluster: string }; result: ClusterExport };
  /** Reads any of those forms; INVALID_ARGUMENT says what is wrong with the text. */
  'clusters.parse': { argument: { text: string }; result: Pick<ClusterDraft, 'jobs'> };

  /** Starts a run; resolves as soon as it exists. Its life comes as `runs.changed`. */
  'runs.start': { argument: RunRequest; result: RunInfo };
  /** Holds all clients before their next step. */
  'runs.pause': { argument: { run: string }; result: RunInfo };
  'runs.resume': { argument: { run: string }; result: RunInfo };
  /** Lets each client of a paused run take one step. */
  'runs.step': { argument: { run: string }; result: RunInfo };
  /** Traces the next step of each client. */
  'runs.traceNext': { argument: { run: string }; result: null };
  /** Runs the initializers of all variables again, after a task has lost them. */
  'runs.reinitialize': { argument: { run: string }; result: null };
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
  'settings.changed': EffectiveSettings;
  'programs.changed': { readonly programs: readonly ProgramInfo[] };
  'programs.pinned': { readonly program: string; readonly pins: Pins };
  'machines.changed': { readonly machines: readonly MachineInfo[] };
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

/** As they are in force. */
export interface EffectiveSettings extends Settings {
  /** Those that the host application has decided. */
  readonly byHost: readonly (keyof Settings)[];
}

/** A computer that tasks can run on. */
export interface MachineInfo {
  readonly id: string;
  readonly name: string;
  readonly isThis: boolean;
  /** `lost`: its agent cannot be reached, and everything else is as it was last. */
  readonly state: 'online' | 'lost';
  /** Why it is lost, with the way out; empty otherwise. */
  readonly reason: string;
  /** When it was last heard of: Unix epoch in milliseconds, 0 for never. */
  readonly seenAt: number;
  /** Tasks on it outlive the apps that started them. */
  readonly isInstalled: boolean;
  /** Of its agent and what that runs on. */
  readonly versions: Readonly<Record<string, string>>;
  readonly addresses: readonly string[];
  readonly system: string;
  readonly cores: number;
  /** Bytes. */
  readonly memoryTotal: number;
  readonly memoryFree: number;
  /** Share of all cores in use, 0 to 1. */
  readonly load: number;
  /** Bytes of the disk that Lanflow is on; 0 when unknown. */
  readonly diskTotal: number;
  readonly diskFree: number;
  readonly gpus: readonly string[];
  /** Tasks that run on it, whoever has started them. */
  readonly tasks: number;
}

export interface ProgramInfo {
  /** By which calls name it: a sample's name, `own/NAME`, or the whole path of a module. */
  readonly name: string;
  /** One line: what it teaches. */
  readonly title: string;
  readonly kind: 'sample' | 'code' | 'graph' | 'graph-def';
  /** The file that it came from, until its user has let it run; no code of it is run before. Empty for all others. */
  readonly origin: string;
  /** Tasks per job that it wants. */
  readonly cluster: Readonly<Record<string, number>>;
  readonly virtualGpus: number;
  readonly clients: 'one' | 'per task';
}

/** One place of a source text. Lines and columns from 1 on. */
export interface SourceProblem {
  readonly severity: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  /** On the same or a later line, after the last character. */
  readonly endLine: number;
  readonly endColumn: number;
  readonly text: string;
}

export interface Completions {
  /** Offset of the first character that they replace. */
  readonly from: number;
  readonly items: readonly Completion[];
}

export interface Completion {
  readonly label: string;
  readonly kind: 'function' | 'method' | 'property' | 'variable' | 'class' | 'interface' | 'keyword' | 'module' | 'text';
  /** Its type, or its signature. */
  readonly detail: string;
  readonly documentation: string;
}

/** Devices by node name, or by the name of a scope with a `/` behind it; the longest name counts. */
export type Pins = Readonly<Record<string, string>>;

/** A program's graph, or a run's; of its first client when none is named. */
export interface GraphQuery {
  readonly of: { readonly program: string } | { readonly run: string };
  /** `client`, or a task's name. */
  readonly client?: string;
}

/** A graph in columns: node k has element k of each. */
export interface GraphView {
  readonly client: string;
  /** All clients that build a graph. */
  readonly clients: readonly string[];
  readonly names: readonly string[];
  readonly ops: readonly string[];
  /** As the program asks for it; empty where it does not mind. */
  readonly devices: readonly string[];
  /** `a`, `a:1`; control inputs `^a`. */
  readonly inputs: readonly (readonly string[])[];
  /** Of each output, `float[2,?]`. */
  readonly outputs: readonly (readonly string[])[];
  /** What could not be found out, in words: a graph that the rehearsal did not reach. */
  readonly notes: readonly string[];
}

export interface NodeDetails {
  readonly name: string;
  readonly op: string;
  /** One line: what the op does. */
  readonly summary: string;
  readonly device: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Nodes that take its outputs or wait for it. */
  readonly consumers: readonly string[];
  /** Name and value as text, as in .pbtxt but short. */
  readonly attrs: readonly (readonly [name: string, value: string])[];
}

export interface PlacementView {
  /** By node name; nodes that are left out were not placed. */
  readonly devices: Readonly<Record<string, string>>;
  /** Why each is there. */
  readonly reasons: Readonly<Record<string, string>>;
  /** What stands in the way; empty when everything has a place. */
  readonly problems: readonly PlacementProblem[];
  /** Pins that name no node of the graph. */
  readonly unusedPins: readonly string[];
}

export interface PlacementProblem {
  /** Empty when it is about no node in particular. */
  readonly node: string;
  /** One line: `add1 is pinned to worker 7, the cluster has worker 0 to 1`. */
  readonly text: string;
  /** The master's own words. */
  readonly details: string;
}

export interface DeviceSummary {
  /** `/job:ps/replica:0/task:0/device:CPU:0` */
  readonly name: string;
  readonly type: string;
  /** `virtual` says that it only pretends to be a graphics card. */
  readonly description: string;
  readonly isVirtual: boolean;
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
  /** It is started again when it ends by itself; off when absent. */
  readonly restart?: boolean;
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
  /** A ready Python client. */
  readonly client: string;
}

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
