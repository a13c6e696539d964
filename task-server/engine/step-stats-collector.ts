import { create } from '@bufbuild/protobuf';
import { DeviceStepStatsSchema, type NodeExecStats, type StepStats, StepStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { epochNanos } from './epoch-clock.ts';
import type { GraphNode } from './graph.ts';
import { NodeStats, sourceEntry } from './node-stats.ts';
import type { DeviceCollector, NodeCollector, StepCollector } from './step.ts';
import { transferOps } from './transfer-kernels.ts';

/**
 * Step stats as TensorFlow's clients read them: one entry per execution of a live node and one, `_SOURCE`, per partition.
 * Transfers between tasks are not among them: the receiving worker logs those.
 */
export class StepStatsCollector implements StepCollector {
  readonly #now: () => bigint;
  readonly #devices = new Map<string, NodeExecStats[]>();

  /** `now`: nanoseconds since the Unix epoch. */
  constructor(now: () => bigint = epochNanos) {
    this.#now = now;
  }

  device(name: string): DeviceCollector {
    const entries = this.#devices.get(name) ?? [];
    this.#devices.set(name, entries);
    entries.push(sourceEntry(this.#now()));
    return new DeviceStats(entries, this.#now);
  }

  /** What has ended so far; devices in the order in which they started. */
  stepStats(): StepStats {
    const devStats = [...this.#devices].map(([device, nodeStats]) => create(DeviceStepStatsSchema, { device, nodeStats }));
    return create(StepStatsSchema, { devStats });
  }
}

class DeviceStats implements DeviceCollector {
  readonly now: () => bigint;
  readonly #entries: NodeExecStats[];

  constructor(entries: NodeExecStats[], now: () => bigint) {
    this.#entries = entries;
    this.now = now;
  }

  begin(node: GraphNode, scheduled: bigint): NodeCollector | undefined {
    if (transferOps.has(node.def.name)) return undefined;
    return new NodeStats(node, scheduled, this.now, this.#entries);
  }
}
