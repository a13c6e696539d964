import { create } from '@bufbuild/protobuf';
import { type RunMetadata, RunMetadataSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { type NodeExecStats, NodeExecStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { taskName } from '#proto/wire/device-name.ts';

export const PS = taskName('ps', 0);
export const W0 = taskName('worker', 0);
export const W1 = taskName('worker', 1);
export const deviceOf = (task: string): string => `${task}/device:CPU:0`;

const EPOCH = 1_700_000_000_000_000n;

/** A step as it was in truth, in microseconds from its start, and as the tasks record it by clocks that are off. */
export class SkewedStep {
  readonly #offsets: ReadonlyMap<string, number>;
  readonly #nodes = new Map<string, NodeExecStats[]>();
  readonly #calls: { task: string; sentMicros: bigint; answeredMicros: bigint }[] = [];
  readonly #begin: number;

  /** Task → how far its clock is ahead; 0 for others. `begin`: of the step, in microseconds since an epoch. */
  constructor(offsets: Readonly<Record<string, number>> = {}, begin = 0) {
    this.#offsets = new Map(Object.entries(offsets));
    this.#begin = begin;
  }

  node(task: string, name: string, [start, end]: readonly [number, number]): this {
    return this.#record(task, name, `${name} = MatMul()`, [this.#read(task, start), this.#read(task, end)]);
  }

  /** Made by `name` at `from`, sent at `start` and there at `end`. */
  transfer(from: string, name: string, to: string, [start, end]: readonly [number, number]): this {
    const label = `[8B] edge_1_${name} from ${deviceOf(from)} to ${deviceOf(to)}`;
    const replied = this.#read(to, end);
    const sent = this.#read(from, start);
    // As the receiver records it: the sender's word counts as far as it can be true.
    return this.#record(to, 'RecvTensor', label, [sent < replied ? sent : replied - 1n, replied]);
  }

  call(master: string, task: string, [sent, answered]: readonly [number, number]): this {
    this.#calls.push({ task, sentMicros: this.#read(master, sent), answeredMicros: this.#read(master, answered) });
    return this;
  }

  metadata(master = ''): RunMetadata {
    const devStats = [...this.#nodes].map(([task, nodeStats]) => ({ device: deviceOf(task), nodeStats }));
    return create(RunMetadataSchema, {
      stepStats: { devStats },
      ...(this.#calls.length > 0 && { stepCalls: { master, calls: this.#calls } }),
    });
  }

  #record(task: string, nodeName: string, timelineLabel: string, [start, end]: readonly [bigint, bigint]): this {
    const nodes = this.#nodes.get(task) ?? [];
    this.#nodes.set(task, nodes);
    const length = end - start;
    const times = { allStartMicros: start, opStartRelMicros: 0n, opEndRelMicros: length, allEndRelMicros: length };
    nodes.push(create(NodeExecStatsSchema, { nodeName, timelineLabel, ...times }));
    return this;
  }

  #read(task: string, time: number): bigint {
    return EPOCH + BigInt(Math.floor(this.#begin + time + (this.#offsets.get(task) ?? 0)));
  }
}
