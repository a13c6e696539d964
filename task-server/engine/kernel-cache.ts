import type { Device } from './device.ts';
import type { KernelNode, StatefulCompute, StatefulKernelSpec } from './kernel.ts';

/**
 * The kernels of one session that keep something between steps (a random generator). Created once per device and node
 * name and kept until the session lets go of the cache, whichever of its registered graphs the node appears in; node
 * names are unique per session.
 */
export class KernelCache {
  readonly #kernels = new Map<string, StatefulCompute>();

  get(node: KernelNode, device: Device, spec: StatefulKernelSpec): StatefulCompute {
    const key = `${device.name};${node.name}`;
    const known = this.#kernels.get(key);
    if (known) return known;
    const made = spec.create(node, device);
    this.#kernels.set(key, made);
    return made;
  }

  clear(): void {
    this.#kernels.clear();
  }
}
