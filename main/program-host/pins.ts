import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import { DataType } from '#proto/generated/tensorflow/types_pb.ts';
import type { Pins } from '#proto/ipc/contract.ts';
import { opDef } from '#proto/ops/registry.ts';
import { resolveTypes } from '#proto/ops/signature.ts';
import { CONTROL, parseInputName } from '#proto/wire/tensor-name.ts';
import { colocationGroups } from '../client/graph/colocation.ts';

/**
 * A copy of the graph with its nodes where the pins want them. What must be on the device of a pinned node (its colocation group,
 * whoever takes a reference or a resource from it) goes with it, unless it has a pin of its own. The rest shares its nodes with
 * the original.
 */
export function applyPins(def: GraphDef, pins: Pins): GraphDef {
  const devices = pinnedDevices(def, pins);
  if (devices.size === 0) return def;
  const node = def.node.map((each) => {
    const device = devices.get(each.name);
    return device === undefined ? each : { ...each, device };
  });
  return { ...def, node };
}

/** Device by name, for the nodes whose device the pins decide. */
export function pinnedDevices({ node: nodes }: GraphDef, pins: Pins): ReadonlyMap<string, string> {
  const devices = new Map<string, string>();
  if (Object.keys(pins).length === 0) return devices;
  for (const { name } of nodes) {
    const pin = pinOf(name, pins);
    if (pin !== undefined) devices.set(name, pins[pin] ?? '');
  }
  if (devices.size === 0) return devices;
  for (const group of colocated(nodes)) {
    const leader = group.find((name) => devices.has(name));
    if (leader === undefined) continue;
    const device = devices.get(leader) ?? '';
    for (const name of group) if (!devices.has(name)) devices.set(name, device);
  }
  return devices;
}

/** The pin that counts for a node: its own name, else the innermost scope that has one. */
export function pinOf(name: string, pins: Pins): string | undefined {
  if (Object.hasOwn(pins, name)) return name;
  for (let slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) {
    const scope = name.slice(0, slash + 1);
    if (Object.hasOwn(pins, scope)) return scope;
  }
  return undefined;
}

/** Names of nodes that must share a device, group by group, in the order of the graph. Nodes that stand alone are left out. */
function colocated(nodes: readonly NodeDef[]): readonly (readonly string[])[] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    let root = name;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root)) root = parent;
    if (root !== name) parents.set(name, root);
    return root;
  };
  const join = (one: string, other: string): void => {
    const [a, b] = [rootOf(one), rootOf(other)];
    if (a !== b) parents.set(b, a);
  };
  for (const node of nodes) {
    for (const group of colocationGroups([{ name: node.name, attrs: node.attr }])) if (byName.has(group)) join(group, node.name);
    for (const text of node.input) {
      const { node: source, output } = parseInputName(text);
      const from = byName.get(source);
      if (from && output !== CONTROL && isHeld(from, node, output)) join(source, node.name);
    }
  }
  const groups = new Map<string, string[]>();
  for (const { name } of nodes) {
    const root = rootOf(name);
    const group = groups.get(root) ?? [];
    groups.set(root, group);
    group.push(name);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Reads that give a plain tensor may happen elsewhere only for references, which are copied; a resource never leaves its device. */
function isHeld(from: NodeDef, to: NodeDef, output: number): boolean {
  const type = typesOf(from)?.outputs[output];
  if (type === undefined) return false;
  if (type.dtype === DataType.DT_RESOURCE) return true;
  if (!type.isRef) return false;
  const inputs = typesOf(to)?.inputs ?? [];
  return to.input.some((text, i) => {
    const { node, output: wanted } = parseInputName(text);
    return node === from.name && wanted === output && inputs[i]?.isRef === true;
  });
}

function typesOf(node: NodeDef): ReturnType<typeof resolveTypes> | undefined {
  const def = opDef(node.op);
  return def && resolveTypes(def, node.attr);
}
