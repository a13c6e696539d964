import { type DeviceSpec, formatDeviceName, parseDeviceName } from '#proto/wire/device-name.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { DeviceFunction } from './node.ts';

type Entry = DeviceSpec | DeviceFunction;

/** The nested `device` scopes of a graph. */
export class DeviceScopes {
  #stack: readonly Entry[] = [];

  within<T>(device: string | Entry | null, body: () => T): T {
    const outer = this.#stack;
    this.#stack = device === null ? [] : [...outer, typeof device === 'string' ? deviceSpec(device) : device];
    try {
      return body();
    } finally {
      this.#stack = outer;
    }
  }

  /** The device of a new node: each scope, from the innermost to the outermost, fills in what is still open. */
  deviceFor(node: { readonly name: string; readonly type: string }): string {
    let filled: DeviceSpec = {};
    for (const entry of this.#stack.toReversed()) {
      const outer = typeof entry === 'function' ? deviceSpec(entry({ ...node, device: formatDeviceName(filled) })) : entry;
      filled = { ...outer, ...filled };
    }
    return formatDeviceName(filled);
  }
}

/** Throws INVALID_ARGUMENT when the text is no device name. */
export function deviceSpec(text: string): DeviceSpec {
  const spec = parseDeviceName(text);
  if (!spec) throw invalidArgument(`'${text}' is not a device name; an example of one is /job:ps/task:0/device:CPU:0`);
  return spec;
}
