import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { parseDeviceName } from '#proto/wire/device-name.ts';
import { type CodeName, codeName } from '#proto/wire/status.ts';
import { addressOf, openChannel } from './session/channel.ts';
import { taskMethods } from './session/task-methods.ts';
import { unaryCall } from './session/unary-call.ts';

/** What of a session's ConfigProto decides where nodes may go. */
export interface PlacementConfig {
  readonly softPlacement?: boolean;
  /** Partial device names, any of which may match; without any, all devices are used. The master's own are used in any case. */
  readonly deviceFilters?: readonly string[];
}

export interface PlaceOptions extends PlacementConfig {
  /** Full names of the devices to place on, real or not; by default those of the task's cluster, all of whose tasks must answer. */
  readonly devices?: readonly string[];
  /** The session's master, `/job:worker/replica:0/task:0`; by default the task that is asked. */
  readonly master?: string;
  /** By default the one that the task was started with. */
  readonly rule?: 'first-task' | 'local';
  /** See `SessionOptions`. */
  readonly tls?: TlsFiles;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Where a session would put the nodes of a graph. */
export interface GraphPlacement {
  /** Full device names by node; nodes that are left out have no place. */
  readonly devices: ReadonlyMap<string, string>;
  /** Why each node is there, in words. */
  readonly reasons: ReadonlyMap<string, string>;
  /** The same for programs: `requested`, `colocated` …, as `task_service.proto` lists them, and the node or input that decides. */
  readonly why: ReadonlyMap<string, { readonly kind: string; readonly about: string }>;
  readonly problems: readonly NodeProblem[];
  /** The devices that there are, sorted by name. */
  readonly available: readonly string[];
  /** Tasks that the device filters leave out, sorted by name. */
  readonly leftOut: readonly string[];
}

export interface NodeProblem {
  /** Empty when it is about no node in particular. */
  readonly node: string;
  /** What creating a session with the graph would say. */
  readonly text: string;
  readonly code: CodeName;
  /** All nodes that must share a device with the node, itself included, and have no place for that reason. */
  readonly colocated: readonly string[];
}

/**
 * Asks the bundled task at `grpc://host:port` where a session would put the nodes of a graph; nothing is created. What is
 * wrong with the graph is part of the answer. Rejects with UNIMPLEMENTED when the task is a genuine TensorFlow one.
 */
export async function placeGraph(target: string, graphDef: GraphDef, options: PlaceOptions = {}): Promise<GraphPlacement> {
  const { devices = [], master = '', rule = '', softPlacement = false, deviceFilters = [], tls, signal, timeoutMs } = options;
  const channel = openChannel(addressOf(target), tls);
  try {
    const device = devices.map((name) => ({ name, deviceType: parseDeviceName(name)?.type ?? '' }));
    const request = { graphDef, device, task: master, rule, allowSoftPlacement: softPlacement, deviceFilters: [...deviceFilters] };
    const answer = await unaryCall(channel, taskMethods.placeGraph, request, { signal, timeoutMs });
    return {
      devices: new Map(answer.node.map((node) => [node.name, node.device])),
      reasons: new Map(answer.node.map((node) => [node.name, node.reason])),
      why: new Map(answer.node.map(({ name, reasonKind: kind, about }) => [name, { kind, about }])),
      problems: answer.problem.map(({ node, text, code, colocated }) => ({ node, text, code: codeName(code), colocated })),
      available: answer.device,
      leftOut: answer.leftOut,
    };
  } finally {
    channel.close();
  }
}
