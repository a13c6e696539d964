import type { Attrs } from '#proto/wire/attr.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { Device } from './device.ts';
import type { OpContext } from './kernel.ts';
import type { Rendezvous } from './rendezvous.ts';
import type { StepContext } from './step.ts';

/** Shared by all nodes of a run without loops: outside loops only deadness tells one node's context from another's. */
export class NodeContext implements OpContext {
  readonly stepId: bigint;
  readonly device: Device;
  readonly rendezvous: Rendezvous;
  readonly #signal: () => AbortSignal;
  readonly frameId = 0n;
  readonly iteration = 0n;
  readonly inputsDead: boolean;

  /** `signal` ends what this run has parked: it is aborted with the step's and when a node fails. */
  constructor(step: StepContext, device: Device, signal: () => AbortSignal, inputsDead: boolean) {
    this.stepId = step.stepId;
    this.device = device;
    this.rendezvous = step.rendezvous;
    this.#signal = signal;
    this.inputsDead = inputsDead;
  }

  get signal(): AbortSignal {
    return this.#signal();
  }

  compute(op: string, inputs: readonly Tensor[], attrs: Attrs): Tensor[] | Promise<Tensor[]> {
    return this.device.computer.run({ op, attrs, inputs, node: attrs.node }, this.signal);
  }
}
