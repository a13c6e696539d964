import type { Attrs } from '#proto/wire/attr.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { Computer, DeviceType, PureCall } from '../engine/device.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import type { KernelRegistry } from '../engine/kernel-registry.ts';
import { computeHere, pureKernel } from './compute.ts';
import { costOf } from './cost.ts';
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

export interface ThreadComputerOptions {
  readonly backend: string;
  readonly type: DeviceType;
  readonly kernels: KernelRegistry;
  /** Calls that cost more than this leave the serving thread. */
  readonly inlineUnits: number;
  readonly pool: ThreadPoolOptions;
}

/** Computes cheap calls at once and gives the others to the threads of its device. */
export class ThreadComputer implements Computer {
  readonly backend: string;
  readonly #options: ThreadComputerOptions;
  readonly #pool: ThreadPool;
  /** The kernel last found with these attrs: a node keeps its attrs for life and mostly computes one op with them. */
  readonly #specs = new WeakMap<Attrs, PureKernelSpec>();

  constructor(options: ThreadComputerOptions) {
    this.backend = options.backend;
    this.#options = options;
    this.#pool = new ThreadPool(options.pool);
  }

  /** Errors of a call that is answered at once are thrown, those of others reject the promise. */
  run(call: PureCall, signal?: AbortSignal): Tensor[] | Promise<Tensor[]> {
    if (signal?.aborted) throw toStatusError(signal.reason);
    const spec = this.#spec(call);
    if (costOf(spec, call) <= this.#options.inlineUnits) return computeHere(spec, call);
    return this.#pool.run(call, signal);
  }

  dispose(): Promise<void> {
    return this.#pool.dispose();
  }

  #spec(call: PureCall): PureKernelSpec {
    const known = this.#specs.get(call.attrs);
    if (known?.op === call.op) return known;
    const { kernels, type } = this.#options;
    const found = pureKernel(kernels, type, call);
    this.#specs.set(call.attrs, found);
    return found;
  }
}
