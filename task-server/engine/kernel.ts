import type { Attrs } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { Device, DeviceType } from './device.ts';
import type { Rendezvous } from './rendezvous.ts';
import type { VariableRef } from './variable.ts';

/** What travels on an edge: a tensor, or on a ref-typed edge the variable itself. */
export type Value = Tensor | VariableRef;

/** Put in place of an output that a Switch did not choose; consumers do not run, a Merge ignores it. */
export const DEAD: unique symbol = Symbol('dead');
export type Output = Value | typeof DEAD;

/** What a kernel knows while one node runs in one step. Valid until its outputs are delivered. */
export interface OpContext {
  readonly stepId: bigint;
  readonly device: Device;
  readonly rendezvous: Rendezvous;
  /** Aborted when the step is cancelled; `reason` is the StatusError that the parked op ends with. */
  readonly signal: AbortSignal;
  /** Loop frame and iteration: 0n and 0n outside loops. */
  readonly frameId: bigint;
  readonly iteration: bigint;
  /** True when an input was dead; only kernels marked `runsOnDeadInputs` ever see it. */
  readonly inputsDead: boolean;
  /**
   * Runs the pure kernel of another op (or of this one) where it belongs: at once when it is cheap, else on a thread of
   * the device. Stateful kernels do their heavy arithmetic through it.
   */
  compute(op: string, inputs: readonly Tensor[], attrs: Attrs): Tensor[] | Promise<Tensor[]>;
}

/** What a kernel instance knows of its node: fixed for its life. */
export interface KernelNode {
  readonly name: string;
  readonly op: string;
  readonly attrs: Attrs;
  readonly inputTypes: readonly DType[];
  readonly outputTypes: readonly DType[];
}

interface KernelSpecBase {
  /** Name of the op that this kernel serves. */
  readonly op: string;
  /** Type attr → the types served; an attr that is not listed may have any type. */
  readonly types?: Readonly<Record<string, readonly DType[]>>;
  /** Device types with this kernel. Default: CPU and GPU. */
  readonly devices?: readonly DeviceType[];
}

/**
 * A function of its inputs and attrs and of nothing else: it may run on any thread, on any backend, and be folded.
 * It throws a StatusError for bad values. Inputs must not be written to, and may be returned as outputs (Reshape).
 */
export interface PureKernelSpec extends KernelSpecBase {
  readonly kind: 'pure';
  compute(inputs: readonly Tensor[], attrs: Attrs): Tensor[];
  /**
   * Work in units of one simple element operation (about 1 ns), from shapes and small host values; decides whether the
   * call leaves the serving thread. Default: the elements of all inputs. Give one where the output may be much larger.
   */
  cost?(inputs: readonly Tensor[], attrs: Attrs): number;
}

export type StatefulCompute = (context: OpContext, inputs: readonly Value[]) => readonly Output[] | Promise<readonly Output[]>;

/** Reads or changes something that outlives the node's execution, blocks, or passes references. Runs on the serving thread. */
export interface StatefulKernelSpec extends KernelSpecBase {
  readonly kind: 'stateful';
  /** Called once per session, device and node name; what it closes over is the kernel's own state (a random generator). */
  create(node: KernelNode, device: Device): StatefulCompute;
  /** Send and the like: run although an input is dead. */
  readonly runsOnDeadInputs?: boolean;
}

export type KernelSpec = PureKernelSpec | StatefulKernelSpec;
