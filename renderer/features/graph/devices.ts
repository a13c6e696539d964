import type { PlacementView, ProgramInfo } from '#proto/ipc/contract.ts';
import { compareDevices, deviceLabel } from '../../components/device.ts';

/** Full names of the devices of a cluster as a program wants it. */
export function devicesOfProgram({ cluster, virtualGpus }: Pick<ProgramInfo, 'cluster' | 'virtualGpus'>): readonly string[] {
  return Object.entries(cluster).flatMap(([job, count]) =>
    Array.from({ length: count }, (_, task) => `/job:${job}/replica:0/task:${task}/device:`).flatMap((task) => [
      `${task}CPU:0`,
      ...Array.from({ length: virtualGpus }, (_, index) => `${task}GPU:${index}`),
    ]),
  );
}

export interface DeviceCount {
  readonly device: string;
  readonly nodes: number;
}

/** How many nodes each device gets, in the order in which people read devices. */
export function countByDevice(devices: PlacementView['devices']): readonly DeviceCount[] {
  const counts = new Map<string, number>();
  for (const device of Object.values(devices)) counts.set(device, (counts.get(device) ?? 0) + 1);
  return [...counts].map(([device, nodes]) => ({ device, nodes })).sort((a, b) => compareDevices(a.device, b.device));
}

/** Do they mean different devices, as far as both say? `/job:ps/task:0` is the same as its full name. */
export function isElsewhere(a: string, b: string): boolean {
  return a !== '' && b !== '' && deviceLabel(a) !== deviceLabel(b);
}
