import type { Appearance, AppInfo, EffectiveSettings, ExportedFile, Settings } from './contract/app.ts';
import type { ClusterDraft, ClusterExport, ClusterInfo } from './contract/clusters.ts';
import type { DeviceSummary, GraphQuery, GraphView, NodeDetails, PlacementView } from './contract/graphs.ts';
import type {
  DiscoveryInfo,
  InstallInfo,
  KnownMachine,
  LabInfo,
  LabInvitation,
  MachineDiagnosis,
  MachineInfo,
  ProbeProgress,
  ProbeResult,
  SshLogin,
  SshTarget,
} from './contract/machines.ts';
import type { Completions, Pins, ProgramInfo, SourceProblem } from './contract/programs.ts';
import type { SeriesColumns, SeriesQuery, TraceInfo, TraceView } from './contract/recorded.ts';
import type { ExportRequest, LogLine, LogPage, RunInfo, RunRequest } from './contract/runs.ts';

export type * from './contract/app.ts';
export type * from './contract/clusters.ts';
export type * from './contract/graphs.ts';
export type * from './contract/machines.ts';
export type * from './contract/programs.ts';
export type * from './contract/recorded.ts';
export type * from './contract/runs.ts';

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
  'settings.setByHost': { argument: Partial<Appearance>; result: EffectiveSettings };

  'machines.list': { argument: null; result: readonly MachineInfo[] };
  'machines.discovery': { argument: null; result: DiscoveryInfo };
  /** Asks the LAN again, as at the start. */
  'machines.lookAgain': { argument: null; result: null };
  /** One that multicast does not reach, by its name or address. Rejects with the reason when no agent answers there. */
  'machines.add': { argument: { address: string }; result: MachineInfo };
  /**
   * Knocks at the agent's port of all addresses of the own subnets; other networks' watchmen may take that for an attack. Progress comes as
   * `machines.probing`; who asks while it goes on gets the same result.
   */
  'machines.probe': { argument: null; result: ProbeResult };
  /** Ends it; it resolves then to what was found until now. */
  'machines.cancelProbe': { argument: null; result: null };
  /** Makes an unpaired machine one of the lab. PERMISSION_DENIED when it is not the PIN that the machine shows. */
  'machines.pair': { argument: { machine: string; pin: string }; result: MachineInfo };
  /** Takes a machine off the list; one of the lab belongs to it no longer: its certificate is revoked. */
  'machines.remove': { argument: { machine: string }; result: null };
  /** Why a machine, by name or address, is missing. Takes ten seconds at most. */
  'machines.diagnose': { argument: { target: string }; result: MachineDiagnosis };
  /** What `~/.ssh/config` and `known_hosts` name. */
  'machines.known': { argument: null; result: readonly KnownMachine[] };
  /** Null before the first machine is taken in: the lab is made then. */
  'machines.lab': { argument: null; result: LabInfo | null };
  /** Lets one other person become a user of the lab, in place of an earlier invitation; whether he has comes as `machines.labChanged`. */
  'machines.invite': { argument: null; result: LabInvitation };
  'machines.endInvitation': { argument: null; result: null };
  /** Becomes a user of somebody's lab who invites. PERMISSION_DENIED for a wrong PIN, ALREADY_EXISTS when there is a lab here. */
  'machines.joinLab': { argument: { address: string; pin: string }; result: LabInfo };
  /**
   * Installs the agent by SSH on all of these, a few at a time; resolves when all work has begun. The rest comes as `machines.installing`.
   * `component`: path of a folder with GPU libraries, which is brought there too.
   */
  'machines.install': { argument: { targets: readonly SshTarget[]; login: SshLogin; component?: string }; result: null };
  /** Ends the agent and its tasks there, and leaves nothing of Lanflow. */
  'machines.uninstall': { argument: { targets: readonly SshTarget[]; login: SshLogin }; result: null };
  /** The user's word on keys that are not known yet. */
  'machines.answerHostKeys': { argument: { hosts: readonly SshTarget[]; accept: boolean }; result: null };
  /** Ends the work on these, and takes those that are through off the list. Nothing half-done is left there. */
  'machines.cancelInstall': { argument: { targets: readonly SshTarget[] }; result: null };
  'machines.installs': { argument: null; result: readonly InstallInfo[] };

  'programs.list': { argument: null; result: readonly ProgramInfo[] };
  /** Source text of a sample, of one of the user's own programs or of an opened module; of a graph document its JSON. */
  'programs.read': { argument: { program: string }; result: { source: string } };
  /** A new program of the user's own: empty, or a copy of another one, as a GraphDef always is. Its name is made from the title. */
  'programs.create': { argument: { kind: 'code' | 'graph' | 'graph-def'; title: string; from?: string }; result: ProgramInfo };
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
  /**
   * Puts a task on another machine; where its own one cannot be reached, all that the cluster has there. Of a running cluster all tasks are
   * started anew, at other addresses and without their variables: resolves then as a start does.
   */
  'clusters.move': { argument: { cluster: string; task: string; machine: string }; result: ClusterInfo };
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
  /**
   * Opens a port of 127.0.0.1 for each task that speaks TLS, for programs on this computer that do not; they stay the same until it is
   * closed, or the cluster or the core ends. FAILED_PRECONDITION when the cluster does not run.
   */
  'clusters.setGateway': { argument: { cluster: string; open: boolean }; result: ClusterInfo };
  /**
   * Lets machines of a network (CIDR) connect to its tasks in plain text for so many seconds, eight hours at most, in place of an earlier
   * opening: TensorFlow clients that know no TLS, and anybody else there. Resolves when its tasks say that they are open.
   */
  'clusters.open': { argument: { cluster: string; network: string; seconds: number }; result: ClusterInfo };
  /** Ends that; connections that came about by it are cut. */
  'clusters.close': { argument: { cluster: string }; result: ClusterInfo };
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
  'machines.discoveryChanged': DiscoveryInfo;
  /** `guest`: who has just become a user of it; empty: nobody. */
  'machines.labChanged': { readonly lab: LabInfo | null; readonly guest: string };
  'machines.probing': ProbeProgress;
  'machines.installing': { readonly installs: readonly InstallInfo[] };
  'clusters.changed': { readonly clusters: readonly ClusterInfo[] };
  'runs.changed': { readonly run: RunInfo };
  'runs.removed': { readonly run: string };
  'runs.samples': { readonly run: string; readonly series: readonly SeriesColumns[] };
  'runs.logged': { readonly run: string; readonly lines: readonly LogLine[] };
}

export type CallName = keyof Calls;

export type EventName = keyof Events;
