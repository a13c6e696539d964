import type { AttrMap } from '#proto/ops/op-def.ts';
import { type DeviceSpec, formatDeviceName, intersects, mergeDeviceSpecs, parseDeviceName } from '#proto/wire/device-name.ts';
import { invalidArgument, type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { GraphNode } from '../engine/graph.ts';
import { attachNode } from '../engine/node-error.ts';

const UNCONSTRAINED: DeviceSpec = {};
const GROUP_PREFIX = 'loc:@';

/** Nodes that must share a device, with what is known about that device. */
export interface Group {
  /** Narrowest constraint: a specialisation of the other two. */
  requested: DeviceSpec;
  /** Where its variables and other resources were asked to live; never overridden by a consumer's request. */
  resource: DeviceSpec;
  /** Where a member has been placed; no constraint before. */
  assigned: DeviceSpec;
  /** Device types with a kernel for every member. */
  types: ReadonlySet<string>;
  readonly members: GraphNode[];
  /** The member whose request or placement binds the others. */
  anchor: GraphNode | undefined;
}

export interface ColocationOptions {
  readonly soft: boolean;
  supportedTypes(node: GraphNode): ReadonlySet<string>;
  /** Told what keeps a node from its group. Throws it, or the node is left out of the placement. */
  fail(node: GraphNode, error: StatusError): void;
}

/**
 * The partition of a graph's nodes into groups that must share a device: nodes on reference and resource edges, and nodes
 * that name each other in `_class`. Built once per placement; fails with INVALID_ARGUMENT when constraints contradict.
 */
export class ColocationGroups {
  readonly #groups = new Map<GraphNode, Group>();
  readonly #options: ColocationOptions;

  /** `nodes`: producers before consumers. */
  constructor(nodes: readonly GraphNode[], options: ColocationOptions) {
    this.#options = options;
    for (const node of nodes) this.#groups.set(node, this.#singleton(node));
    for (const node of nodes) this.#joinProducers(node);
    this.#joinClasses(nodes);
  }

  of(node: GraphNode): Group {
    const group = this.#groups.get(node);
    if (!group) throw new Error(`Node ${node.name} is not part of the graph that is being placed`);
    return group;
  }

  /** From now on the whole group is bound to the device of this member. */
  assign(node: GraphNode, device: string): void {
    const group = this.of(node);
    const spec = parseDeviceName(device) ?? UNCONSTRAINED;
    group.assigned = spec;
    group.resource = { ...group.resource, ...spec };
    group.requested = { ...group.requested, ...spec };
    group.anchor ??= node;
  }

  #singleton(node: GraphNode): Group {
    const kept = node.def.isStateful === true && node.device !== '';
    const parsed = parseDeviceName(kept ? node.device : node.requestedDevice);
    if (!parsed) this.#options.fail(node, malformedDevice(node));
    const requested = parsed ?? UNCONSTRAINED;
    return {
      requested,
      resource: !kept && producesResource(node) ? requested : UNCONSTRAINED,
      assigned: kept ? requested : UNCONSTRAINED,
      types: this.#options.supportedTypes(node),
      members: [node],
      anchor: kept || node.requestedDevice !== '' ? node : undefined,
    };
  }

  #joinProducers(node: GraphNode): void {
    node.inputs.forEach((endpoint, index) => {
      const type = node.inputTypes[index];
      if (type?.isRef || type?.dtype === 'resource') this.#joinAcrossEdge(endpoint.node, node);
    });
  }

  #joinAcrossEdge(producer: GraphNode, consumer: GraphNode): void {
    const [from, to] = [this.of(producer), this.of(consumer)];
    for (const kind of ['assigned', 'resource'] as const) {
      if (!intersects(from[kind], to[kind])) {
        this.#options.fail(consumer, incompatibleEdge(kind, producer, consumer, from[kind], to[kind]));
        return;
      }
    }
    if (!intersects(from.requested, to.requested)) {
      to.requested = { ...from.requested, ...to.assigned, ...to.resource };
      to.anchor = from.anchor;
    }
    try {
      this.#join(producer, consumer);
    } catch (error) {
      const why =
        'Nodes were connected by a reference or resource connection (requiring them to be on the same device), ' +
        `but the two nodes were assigned two different devices: ${toStatusError(error).message}`;
      this.#options.fail(consumer, attachNode(invalidArgument(why, { cause: error }), consumer));
    }
  }

  #joinClasses(nodes: readonly GraphNode[]): void {
    const firstOf = new Map<string, GraphNode>();
    for (const node of nodes) {
      for (const name of [...classNames(node.attrs.values), node.name]) {
        const first = firstOf.get(name);
        if (first) this.#joinClass(node, first);
        else firstOf.set(name, node);
      }
    }
  }

  #joinClass(node: GraphNode, first: GraphNode): void {
    try {
      this.#join(node, first);
    } catch (error) {
      if (!this.#options.soft) this.#options.fail(node, attachNode(error, node));
    }
  }

  #join(x: GraphNode, y: GraphNode): void {
    const [left, right] = [this.of(x), this.of(y)];
    if (left === right) return;
    const [into, from] = left.members.length >= right.members.length ? [left, right] : [right, left];
    const merged = this.#merged(into, from, x, y);
    Object.assign(into, merged);
    into.members.push(...from.members);
    for (const member of from.members) this.#groups.set(member, into);
  }

  #merged(into: Group, from: Group, x: GraphNode, y: GraphNode): Partial<Group> {
    try {
      const assigned = mergeDeviceSpecs(into.assigned, from.assigned);
      const resource = mergeDeviceSpecs(into.resource, from.resource);
      const requested = { ...mergeDeviceSpecs(into.requested, from.requested, this.#options.soft), ...assigned, ...resource };
      const types = new Set([...into.types].filter((type) => from.types.has(type)));
      return { assigned, resource, requested, types, anchor: into.anchor ?? from.anchor };
    } catch (error) {
      const pair = `{{colocation_node ${x.name}}} and {{colocation_node ${y.name}}}`;
      throw invalidArgument(`Cannot colocate nodes ${pair}: ${toStatusError(error).message}`, { cause: error });
    }
  }
}

/** The names after `loc:@` in the `_class` of a node's attrs. */
export function classNames(attrs: AttrMap): string[] {
  const value = attrs['_class']?.value;
  if (value?.case !== 'list') return [];
  const texts = value.value.s.map((bytes) => new TextDecoder().decode(bytes));
  return texts.filter((text) => text.startsWith(GROUP_PREFIX)).map((text) => text.slice(GROUP_PREFIX.length));
}

function producesResource({ inputs, outputTypes: [output, ...others] }: GraphNode): boolean {
  return inputs.length === 0 && others.length === 0 && output !== undefined && (output.isRef || output.dtype === 'resource');
}

function malformedDevice(node: GraphNode): StatusError {
  return attachNode(invalidArgument(`Malformed device specification '${node.requestedDevice}' in node: {{node ${node.name}}}`), node);
}

function incompatibleEdge(kind: string, producer: GraphNode, consumer: GraphNode, from: DeviceSpec, to: DeviceSpec): StatusError {
  return invalidArgument(
    `Cannot place the graph because a reference or resource edge connects colocation groups with incompatible ${kind} devices: ` +
      `${formatDeviceName(from)} vs ${formatDeviceName(to)}. The edge src node is name='${producer.name}' (op='${producer.def.name}'), ` +
      `and the dst node is name='${consumer.name}' (op='${consumer.def.name}').`,
  );
}
