import { type DeviceSpec, parseDeviceName, satisfies } from '#proto/wire/device-name.ts';
import type { StatusError } from '#proto/wire/status.ts';
import type { Graph, GraphNode } from '../engine/graph.ts';
import { Candidates } from './candidates.ts';
import { ColocationGroups, type Group } from './colocation.ts';
import type { Placement, PlacementOptions, PlacementReason, Placements } from './placement.ts';
import { noDevice } from './placement-errors.ts';
import { consumersOf, topologicalOrder } from './traversal.ts';

/** Ops that look at the shape of their input and not at its values. */
const METADATA_OPS: ReadonlySet<string> = new Set(['Shape', 'Size', 'Rank']);
const IDENTITY_OPS: ReadonlySet<string> = new Set(['Identity', 'RefIdentity']);

/**
 * A device for every node of a graph. Nodes with state that already have a device keep it; all others are placed anew.
 * Changes nothing: the caller writes the result into the nodes once all is well (`applyPlacements`). A node without a place
 * is INVALID_ARGUMENT, in TensorFlow's words: thrown, or told to `onProblem`.
 */
export function placeGraph(graph: Graph, options: PlacementOptions): Placements {
  return new Placer(graph, options).run();
}

export function applyPlacements(graph: Graph, placements: Placements): void {
  for (const node of graph.nodes.values()) node.device = placements.get(node.name)?.device ?? node.device;
}

class Placer {
  readonly #options: PlacementOptions;
  readonly #nodes: readonly GraphNode[];
  readonly #consumers: ReadonlyMap<GraphNode, readonly GraphNode[]>;
  readonly #candidates: Candidates;
  readonly #groups: ColocationGroups;
  readonly #devicesOfGroup = new Map<Group, readonly string[]>();
  readonly #placements = new Map<string, Placement>();
  readonly #failed = new Set<GraphNode>();

  constructor(graph: Graph, options: PlacementOptions) {
    this.#options = options;
    this.#nodes = topologicalOrder(graph);
    this.#consumers = consumersOf(graph);
    this.#candidates = new Candidates(options.devices, options.rule, options.task);
    this.#groups = new ColocationGroups(this.#nodes, {
      soft: options.soft,
      supportedTypes: (node) => this.#supportedTypes(node),
      fail: (node, error) => this.#fail(node, error),
    });
  }

  run(): Placements {
    const generators: GraphNode[] = [];
    for (const node of this.#nodes) {
      if (node.def.isStateful && node.device !== '') this.#set(node, node.device, { kind: 'kept' });
      else if (isGenerator(node)) generators.push(node);
      else this.#place(node, this.#inputToFollow(node));
    }
    for (const node of generators) this.#place(node, this.#deviceOfConsumers(node));
    return this.#placements;
  }

  #place(node: GraphNode, preferred: Placement | undefined): void {
    const group = this.#groups.of(node);
    if (this.#failed.has(node)) return;
    const devices = this.#devicesFor(group);
    if (devices.length === 0) {
      const own = parseDeviceName(node.requestedDevice) ?? {};
      this.#fail(node, noDevice(node, own, group, this.#candidates), group.members);
      return;
    }
    const { device, reason } = preferred && devices.includes(preferred.device) ? preferred : this.#firstOf(devices);
    this.#set(node, device, this.#boundReason(node, group) ?? reason);
  }

  /** `members`: nodes that have no place for the same reason. */
  #fail(node: GraphNode, error: StatusError, members: readonly GraphNode[] = [node]): void {
    const { onProblem } = this.#options;
    if (!onProblem) throw error;
    if (this.#failed.has(node)) return;
    for (const member of members) this.#failed.add(member);
    onProblem({ node: node.name, error, colocated: members.map(({ name }) => name) });
  }

  #firstOf([device = '']: readonly string[]): Placement {
    return { device, reason: { kind: 'default', rule: this.#options.rule } };
  }

  #set(node: GraphNode, device: string, reason: PlacementReason): void {
    this.#placements.set(node.name, { device, reason: explained(reason, node, device) });
    const group = this.#groups.of(node);
    this.#groups.assign(node, device);
    this.#devicesOfGroup.set(group, [device]);
  }

  /** The reason when a constraint decides; undefined when heuristics and the rule may choose. */
  #boundReason(node: GraphNode, group: Group): PlacementReason | undefined {
    if (node.requestedDevice !== '' && (group.anchor === node || this.#narrows(node, group))) return { kind: 'requested' };
    return group.anchor && group.anchor !== node ? { kind: 'colocated', with: group.anchor.name } : undefined;
  }

  /** Does the node's own text still say something that holds for the group? */
  #narrows(node: GraphNode, group: Group): boolean {
    const own = parseDeviceName(node.requestedDevice);
    return own !== undefined && satisfies(group.requested, own);
  }

  /** Computed once per group; one device as soon as a member is placed. */
  #devicesFor(group: Group): readonly string[] {
    const known = this.#devicesOfGroup.get(group);
    if (known) return known;
    const devices = this.#possibleDevices(group);
    this.#devicesOfGroup.set(group, devices);
    return devices;
  }

  #possibleDevices({ requested, resource, assigned, types }: Group): readonly string[] {
    const wishes = this.#options.soft ? [requested, withoutType(requested, resource), withoutType(requested, assigned)] : [requested];
    for (const wish of wishes) {
      const devices = this.#candidates.matching(wish, types);
      if (devices.length > 0) return devices;
    }
    return [];
  }

  #inputToFollow(node: GraphNode): Placement | undefined {
    const [input] = node.inputs;
    if (!input || !(METADATA_OPS.has(node.def.name) || this.#isPlainIdentity(node))) return undefined;
    const device = this.#placements.get(input.node.name)?.device;
    return device === undefined ? undefined : { device, reason: { kind: 'follows-input', input: input.node.name } };
  }

  /** An unpinned Identity with one edge in and one out whose ends ask for the same device. */
  #isPlainIdentity(node: GraphNode): boolean {
    if (!IDENTITY_OPS.has(node.def.name) || node.requestedDevice !== '' || node.controlInputs.length > 0) return false;
    const [consumer, ...others] = this.#consumers.get(node) ?? [];
    return others.length === 0 && node.inputs[0]?.node.requestedDevice === (consumer?.requestedDevice ?? '');
  }

  #deviceOfConsumers(node: GraphNode): Placement | undefined {
    const devices = new Set(this.#consumers.get(node)?.map(({ name }) => this.#placements.get(name)?.device));
    const [device] = devices;
    return devices.size === 1 && device !== undefined ? { device, reason: { kind: 'follows-consumers' } } : undefined;
  }

  /**
   * A node without any kernel counts as one for CPUs, so that it fails only in the steps that need it, with the task and
   * the node in the message; a task with another engine may even have the kernel.
   */
  #supportedTypes({ def, attrs }: GraphNode): ReadonlySet<string> {
    const types = new Set(['CPU']);
    if (this.#candidates.types.has('GPU') && this.#options.hasKernel(def.name, 'GPU', attrs)) types.add('GPU');
    return types;
  }
}

function isGenerator({ inputs, outputTypes }: GraphNode): boolean {
  return inputs.length === 0 && outputTypes.length === 1 && outputTypes[0]?.isRef === false;
}

/** The constraint without type and index, unless `kept` has them. */
function withoutType(spec: DeviceSpec, kept: DeviceSpec): DeviceSpec {
  const { type, index, ...rest } = spec;
  return {
    ...rest,
    ...(kept.type !== undefined && type !== undefined ? { type } : {}),
    ...(kept.index !== undefined && index !== undefined ? { index } : {}),
  };
}

function explained(reason: PlacementReason, node: GraphNode, device: string): PlacementReason {
  if (reason.kind !== 'requested') return reason;
  const [own, actual] = [parseDeviceName(node.requestedDevice), parseDeviceName(device)];
  return own && actual && satisfies(actual, own) ? reason : { kind: 'softened' };
}
