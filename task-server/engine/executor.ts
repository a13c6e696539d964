import { unimplemented } from '#proto/wire/status.ts';
import type { KernelEnv } from './bound-kernel.ts';
import type { Graph } from './graph.ts';
import { isLoopNode } from './loops.ts';
import { buildSchedule } from './schedule.ts';
import { type RunEnv, StaticRun } from './static-run.ts';
import type { StepContext } from './step.ts';

export interface ExecutorEnv extends KernelEnv, RunEnv {}

/** One partition, compiled for one device. Any number of steps may run it at the same time. */
export interface Executable {
  /**
   * Runs every node once. Settles only when no kernel of this run is at work any more. Rejects with the first root error,
   * its node named, or with the reason of the cancellation; either also aborts the step's rendezvous and all that this
   * run has parked.
   */
  run(step: StepContext): Promise<void>;
}

/**
 * Prepares a graph whose nodes all live on `env.device`. Everything that can be found out before a step is: missing
 * kernels are NOT_FOUND, bad attrs and cycles INVALID_ARGUMENT, all of them with the node named.
 */
export function compilePartition(graph: Graph, env: ExecutorEnv): Executable {
  for (const node of graph.nodes.values()) {
    if (!isLoopNode(node)) continue;
    throw unimplemented(
      `Loops are not supported: node '${node.name}' (op ${node.def.name}). Unroll the loop, or run it on a TensorFlow task.`,
    );
  }
  const schedule = buildSchedule(graph, env);
  return { run: (step) => new StaticRun(schedule, env, step).run() };
}
