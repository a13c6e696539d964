import { type DeviceSpec, formatDeviceName } from '#proto/wire/device-name.ts';
import { invalidArgument, type StatusError } from '#proto/wire/status.ts';
import type { GraphNode } from '../engine/graph.ts';
import { attachNode } from '../engine/node-error.ts';
import type { Candidates } from './candidates.ts';
import type { Group } from './colocation.ts';

/** No device satisfies what is asked of a node's group: says which of the possible reasons it is. */
export function noDevice(node: GraphNode, own: DeviceSpec, group: Group, candidates: Candidates): StatusError {
  return attachNode(invalidArgument(`Cannot assign a device for operation ${node.name}: ${whyNone(node, own, group, candidates)}`), node);
}

function whyNone(node: GraphNode, own: DeviceSpec, group: Group, candidates: Candidates): string {
  const wanted = formatDeviceName(group.requested);
  if (formatDeviceName(own) !== wanted) {
    return (
      `Could not satisfy explicit device specification '${node.requestedDevice}' because the node {{colocation_node ${node.name}}} ` +
      `was colocated with a group of nodes that required incompatible device '${wanted}'. ` +
      `All available devices [${candidates.names.join(', ')}]. ${groupText(group)}`
    );
  }
  if (candidates.matching(own).length === 0) {
    return (
      `{{node ${node.name}}} was explicitly assigned to ${node.requestedDevice} but available devices are ` +
      `[ ${candidates.names.join(', ')} ]. Make sure the device specification refers to a valid device.`
    );
  }
  return (
    `Could not satisfy explicit device specification '${node.requestedDevice}' because no supported kernel for ` +
    `${own.type ?? 'the required'} devices is available.${groupText(group)}\nOp: ${node.def.name}`
  );
}

function groupText({ members, types }: Group): string {
  const lines = members.map(({ name, def, requestedDevice }) => `\n  ${name} (${def.name}) ${requestedDevice}`);
  const supported = `\nColocation Debug Info:\nDevice types with a kernel for the whole group: ${[...types].join(' ')}`;
  return `${supported}\n\nColocation members and user-requested devices:${lines.join('')}\n`;
}
