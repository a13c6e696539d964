import type { GraphNode } from './graph.ts';
import type { Output, Value } from './kernel.ts';
import type { Rendezvous } from './rendezvous.ts';

/** What the runs of all partitions of one step in one process share. The caller owns all of it. */
export interface StepContext {
  readonly stepId: bigint;
  /** Where Sends and Recvs meet. A run that fails or is cancelled aborts it. */
  readonly rendezvous: Rendezvous;
  /** Cancels the step. `reason` is a StatusError, which the run then ends with unless it had failed before. */
  readonly signal: AbortSignal;
  /** For traced steps only; without it no clock is read per node. */
  readonly collector?: StepCollector | undefined;
}

/** Is told what the nodes of one step do, on all devices of a process. */
export interface StepCollector {
  /** A partition starts to run on this device. */
  device(name: string): DeviceCollector;
}

export interface DeviceCollector {
  /** Nanoseconds since the Unix epoch. */
  now(): bigint;
  /** The executor takes up a live node that became ready at `scheduled`. Undefined when such nodes are not recorded. */
  begin(node: GraphNode, scheduled: bigint): NodeCollector | undefined;
}

/** One execution of one node: `opStart`, `opEnd`, `end`, in this order. A node that fails never ends and is not recorded. */
export interface NodeCollector {
  /** The kernel is called next, with these inputs. */
  opStart(inputs: readonly Value[]): void;
  /** The kernel is done. */
  opEnd(outputs: readonly Output[]): void;
  /** The outputs are with the consumers. */
  end(): void;
}
