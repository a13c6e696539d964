import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { Pins, PlacementProblem } from '#proto/ipc/contract.ts';
import { parseDeviceName } from '#proto/wire/device-name.ts';
import type { NodeProblem } from '../../client/index.ts';
import { pinOf } from '../pins.ts';
import { missingDevice, type PresentDevices } from './missing-device.ts';

interface Placed extends PresentDevices {
  /** As it was sent, pins applied. */
  readonly graphDef: GraphDef;
  readonly pins: Pins;
}

/** One wish for a device, and the nodes that have it. */
interface Wish {
  readonly device: string;
  /** The pin that says so; undefined when the program does. */
  readonly pin: string | undefined;
  readonly nodes: string[];
  /** The master's words about the first of them. */
  readonly details: string;
}

/** What stands in the way of a placement, for people: each wrong pin once, whatever else it takes with it. */
export function placementProblems(problems: readonly NodeProblem[], placed: Placed): readonly PlacementProblem[] {
  const devices = new Map(placed.graphDef.node.map(({ name, device }) => [name, device]));
  const wishes = new Map<string, Wish>();
  const others: PlacementProblem[] = [];
  for (const { node, text: details, colocated } of problems) {
    const culprits = culpritsOf(colocated, devices, placed);
    for (const { name, device, pin } of culprits) {
      const key = JSON.stringify([pin, device]);
      const wish = wishes.get(key) ?? { device, pin, nodes: [], details };
      wishes.set(key, wish);
      wish.nodes.push(name);
    }
    if (culprits.length === 0) others.push({ node, text: plainText(node, details, placed.pins), details });
  }
  return [...[...wishes.values()].map((wish) => wishProblem(wish, placed)), ...others];
}

interface Culprit {
  readonly name: string;
  readonly device: string;
  readonly pin: string | undefined;
}

/** The nodes whose own wish cannot be had. Where some are pinned, these: the others were taken along. */
function culpritsOf(names: readonly string[], devices: ReadonlyMap<string, string>, { pins, ...present }: Placed): readonly Culprit[] {
  const wishes = names.map((name) => ({ name, device: devices.get(name) ?? '', pin: pinOf(name, pins) }));
  const missing = wishes.filter(({ device }) => missingDevice(device, present) !== undefined);
  const pinned = missing.filter(({ pin }) => pin !== undefined);
  return pinned.length > 0 ? pinned : missing;
}

function wishProblem({ device, pin, nodes, details }: Wish, present: PresentDevices): PlacementProblem {
  const [node = ''] = nodes;
  const verb = pin === undefined ? ['asks for', 'ask for'] : ['is pinned to', 'are pinned to'];
  const text = `${subject(nodes, pin)} ${verb[nodes.length === 1 ? 0 : 1]} ${device}, ${missingDevice(device, present)}`;
  return { node, text, details };
}

function subject(nodes: readonly string[], pin: string | undefined): string {
  const [first = '', ...others] = nodes;
  if (others.length === 0) return first;
  if (pin?.endsWith('/')) return `The ${nodes.length} nodes below ${pin}`;
  return `${first} and ${others.length} other ${others.length === 1 ? 'node' : 'nodes'}`;
}

/** The sentence of the master's text that matters, without its marks for programs. */
function plainText(node: string, details: string, pins: Pins): string {
  const device = pins[pinOf(node, pins) ?? ''];
  if (device !== undefined && /no supported kernel for/.test(details)) {
    return `${node} is pinned to ${device}, but its op has no kernel for ${parseDeviceName(device)?.type ?? 'that kind of'} devices`;
  }
  const [line = ''] = details.split('\n');
  return line
    .replace(/^Cannot assign a device for operation [^:]*: /, '')
    .replaceAll(/\{\{(?:colocation_)?node ([^}]*)\}\}/g, '$1')
    .replace(/ All available devices \[.*$/, '');
}
