import type { DeviceAttributes } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { type DeviceSpec, intersects, parseDeviceName } from '#proto/wire/device-name.ts';
import { invalidArgument } from '#proto/wire/status.ts';

/** The part of a cluster that a session wants to see: partial device names, any of which may match. None means all. */
export class DeviceFilters {
  readonly #task: string;
  readonly #filters: readonly DeviceSpec[];

  /** INVALID_ARGUMENT names a filter that is no device name. The master's own `task` always passes. */
  constructor(texts: readonly string[], task: string) {
    this.#task = task;
    this.#filters = texts.map((text) => {
      const filter = parseDeviceName(text);
      if (filter) return filter;
      throw invalidArgument(`Invalid device filter '${text}': expected a (partial) device name such as '/job:ps' or '/job:worker/task:0'`);
    });
  }

  keepsTask(task: string): boolean {
    return task === this.#task || this.#matches(task);
  }

  keepsDevice({ name }: DeviceAttributes): boolean {
    return name.startsWith(`${this.#task}/`) || this.#matches(name);
  }

  #matches(name: string): boolean {
    const spec = parseDeviceName(name) ?? {};
    return this.#filters.length === 0 || this.#filters.some((filter) => intersects(filter, spec));
  }
}
