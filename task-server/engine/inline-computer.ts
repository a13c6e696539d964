import { internal } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { Computer, DeviceType, PureCall } from './device.ts';
import type { KernelRegistry } from './kernel-registry.ts';

/** Runs every pure kernel on the calling thread, at once, however long it takes. */
export class InlineComputer implements Computer {
  readonly backend = 'plain';
  readonly #kernels: KernelRegistry;
  readonly #deviceType: DeviceType;

  constructor(kernels: KernelRegistry, deviceType: DeviceType = 'CPU') {
    this.#kernels = kernels;
    this.#deviceType = deviceType;
  }

  run({ op, attrs, inputs, node }: PureCall): Tensor[] {
    const spec = this.#kernels.find(op, this.#deviceType, attrs);
    if (spec.kind !== 'pure')
      throw internal(`Op '${op}' of node '${node}' is no function of its inputs alone, so it cannot be computed apart`);
    return spec.compute(inputs, attrs);
  }

  async dispose(): Promise<void> {}
}
