import type { Pins } from '#proto/ipc/contract.ts';
import { type DeviceSpec, formatDeviceName, parseDeviceName, satisfies } from '#proto/wire/device-name.ts';
import { type GraphModel, scopesAround } from './graph-model.ts';

/** The pin that counts for a node or scope: its own, or that of the nearest scope around it. */
export function pinOf(pins: Pins, name: string): { readonly key: string; readonly device: string } | undefined {
  const bare = name.endsWith('/') ? name.slice(0, -1) : name;
  const around = scopesAround(bare.slice(0, bare.lastIndexOf('/') + 1)).filter((scope) => scope !== '');
  for (const key of [name, ...around]) {
    const device = pins[key];
    if (device !== undefined) return { key, device };
  }
  return undefined;
}

/** Names by which something is pinned: a scope together with the node that has its name, as `w/` and `w`. */
export function pinKeys(model: GraphModel, ids: readonly string[]): readonly string[] {
  return ids.flatMap((id) => (id.endsWith('/') && model.nodes.has(id.slice(0, -1)) ? [id, id.slice(0, -1)] : [id]));
}

/** The pins with these names at a device; without one, with these names free. */
export function withPins(pins: Pins, keys: readonly string[], device: string | undefined): Pins {
  const rest = Object.entries(pins).filter(([name]) => !keys.includes(name));
  return Object.fromEntries([...rest, ...(device === undefined ? [] : keys.map((key) => [key, device] as const))]);
}

export type DeviceCheck =
  | { readonly ok: true; readonly device: string }
  | { readonly ok: false; readonly reason: 'empty' | 'syntax' | 'missing' };

/** A device as it was typed: the canonical form of it, or what is wrong. `known` are the full names of those there are. */
export function checkDevice(text: string, known: readonly string[]): DeviceCheck {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, reason: 'empty' };
  const spec = parseDeviceName(trimmed);
  if (!spec || formatDeviceName(spec) === '') return { ok: false, reason: 'syntax' };
  return isThere(spec, known) ? { ok: true, device: formatDeviceName(spec) } : { ok: false, reason: 'missing' };
}

/** How a pin to a device is written: the task alone when it has no other device, for then it says as much and reads better. */
export function pinText(device: string, known: readonly string[]): string {
  const { job, task, type, index } = parseDeviceName(device) ?? {};
  if (job === undefined || task === undefined) return device;
  const ofTask = known.filter((name) => satisfies(parseDeviceName(name) ?? {}, { job, task }));
  const short = `/job:${job}/task:${task}`;
  return ofTask.length > 1 && type !== undefined ? `${short}/device:${type}:${index ?? 0}` : short;
}

/** Does one of the devices fit? */
export function isThere(device: string | DeviceSpec, known: readonly string[]): boolean {
  const spec = typeof device === 'string' ? parseDeviceName(device) : device;
  return spec !== undefined && known.some((name) => satisfies(parseDeviceName(name) ?? {}, spec));
}

/** Is a node elsewhere than where it is asked to be? */
export function differs(placed: string, requested: string): boolean {
  if (placed === '' || requested === '') return false;
  return !satisfies(parseDeviceName(placed) ?? {}, parseDeviceName(requested) ?? {});
}
