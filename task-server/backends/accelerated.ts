import type { Attrs } from '#proto/wire/attr.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { PureCall } from '../engine/device.ts';
import { ACCELERATED_UNITS } from './cost.ts';

/** How a library computes one op. */
export interface AcceleratedKernel<Library> {
  readonly op: string;
  /**
   * Only valid calls whose result agrees with the op's definition. Everything else, wrong shapes and empty tensors
   * included, is left to our own kernel, which so is the only source of error texts.
   */
  accepts(inputs: readonly Tensor[], attrs: Attrs): boolean;
  compute(library: Library, inputs: readonly Tensor[], attrs: Attrs): Tensor[] | Promise<Tensor[]>;
}

export interface BackendSpec<Library> {
  readonly name: string;
  /** The package that must be installed. */
  readonly package: string;
  readonly kernels: readonly AcceleratedKernel<Library>[];
  /** Loads the library into this thread, called once. Rejects when it does not work here. */
  open(options: BackendOptions): Promise<Library>;
  /** Whether the library computes on a card. Default: it does not. */
  usesGpu?(library: Library): boolean;
}

export interface BackendOptions {
  /** Cores that one call may use. */
  readonly cores: number;
}

/** A numeric library behind a device, the library's own type hidden. It is loaded when it is first needed. */
export interface Backend {
  readonly name: string;
  readonly package: string;
  readonly ops: readonly string[];
  accepts(call: PureCall): boolean;
  /** Whether it computes on a card. Loads the library; rejects when that fails. */
  usesGpu(): Promise<boolean>;
  /** Loads the library if need be. Rejects when that fails, or when the library cannot do this call. */
  compute(call: PureCall): Promise<Tensor[]>;
}

export function createBackend<Library>(spec: BackendSpec<Library>, options: BackendOptions): Backend {
  const byOp = new Map(spec.kernels.map((kernel) => [kernel.op, kernel]));
  let library: Promise<Library> | undefined;
  const opened = () => {
    library ??= spec.open(options);
    return library;
  };
  return {
    name: spec.name,
    package: spec.package,
    ops: [...byOp.keys()],
    accepts: ({ op, inputs, attrs }) => byOp.get(op)?.accepts(inputs, attrs) ?? false,
    usesGpu: async () => spec.usesGpu?.(await opened()) ?? false,
    compute: async ({ op, inputs, attrs }) => {
      const outputs = byOp.get(op)?.compute(await opened(), inputs, attrs);
      if (!outputs) throw new Error(`Backend ${spec.name} does not compute op ${op}`);
      return outputs;
    },
  };
}

/** The backends of one thread, best first. A backend that fails is reported once and not asked again. */
export class Accelerator {
  readonly #backends: Set<Backend>;
  readonly #log: (text: string) => void;

  constructor(backends: Iterable<Backend>, log: (text: string) => void) {
    this.#backends = new Set(backends);
    this.#log = log;
  }

  /** Undefined when no backend computes this call, or when our own code is as good at it. */
  async compute(call: PureCall, cost: number): Promise<Tensor[] | undefined> {
    if (cost < ACCELERATED_UNITS) return undefined;
    for (const backend of this.#backends) {
      if (!backend.accepts(call)) continue;
      try {
        return await backend.compute(call);
      } catch (error) {
        this.#backends.delete(backend);
        this.#log(`Backend ${backend.name} failed and is not used any more by this thread: ${toStatusError(error).message}`);
      }
    }
    return undefined;
  }
}
