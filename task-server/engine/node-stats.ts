import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type AllocatorMemoryUsedSchema,
  type NodeExecStats,
  NodeExecStatsSchema,
  type NodeOutputSchema,
} from '#proto/generated/tensorflow/step_stats_pb.ts';
import { dtypeNumber } from '#proto/wire/dtype.ts';
import { byteLength, type Tensor } from '#proto/wire/tensor.ts';
import type { GraphNode } from './graph.ts';
import { DEAD, type Output, type Value } from './kernel.ts';
import type { NodeCollector } from './step.ts';
import { VariableRef } from './variable.ts';

/** Name that TensorFlow gives its host memory. */
const ALLOCATOR = 'cpu';
const MEBIBYTE = 1024 * 1024;

/** Takes the times of one execution and turns them into an entry when it ends. */
export class NodeStats implements NodeCollector {
  readonly #node: GraphNode;
  readonly #scheduled: bigint;
  readonly #now: () => bigint;
  readonly #entries: NodeExecStats[];
  readonly #allStart: bigint;
  #opStart = 0n;
  #opEnd = 0n;
  #inputs: readonly Value[] = [];
  #outputs: readonly Output[] = [];

  constructor(node: GraphNode, scheduled: bigint, now: () => bigint, entries: NodeExecStats[]) {
    this.#node = node;
    this.#scheduled = scheduled;
    this.#now = now;
    this.#entries = entries;
    this.#allStart = now();
  }

  opStart(inputs: readonly Value[]): void {
    this.#inputs = inputs;
    this.#opStart = this.#now();
  }

  opEnd(outputs: readonly Output[]): void {
    this.#opEnd = this.#now();
    this.#outputs = outputs;
  }

  end(): void {
    const times = { scheduled: this.#scheduled, allStart: this.#allStart, opStart: this.#opStart, opEnd: this.#opEnd, allEnd: this.#now() };
    const fresh = allocated(this.#node, this.#inputs, this.#outputs);
    const bytes = [...fresh].reduce((sum, tensor) => sum + byteLength(tensor), 0);
    const entry = create(NodeExecStatsSchema, {
      nodeName: this.#node.name,
      timelineLabel: `${memoryText(bytes)}${labelOf(this.#node)}`,
      ...timeFields(times),
      memory: bytes > 0 ? [memoryUsed(bytes)] : [],
      output: this.#outputs.flatMap((value, slot) => describe(value, slot, fresh)),
    });
    this.#entries.push(entry);
  }
}

/** The entry for a partition's start: TensorFlow's graphs begin with this node. */
export function sourceEntry(now: bigint): NodeExecStats {
  const times = timeFields({ scheduled: now, allStart: now, opStart: now, opEnd: now, allEnd: now });
  return create(NodeExecStatsSchema, { nodeName: '_SOURCE', timelineLabel: '_SOURCE = NoOp()', ...times });
}

type Times = Readonly<Record<'scheduled' | 'allStart' | 'opStart' | 'opEnd' | 'allEnd', bigint>>;

function timeFields({ scheduled, allStart, opStart, opEnd, allEnd }: Times) {
  const micros = (nanos: bigint) => nanos / 1000n;
  const start = micros(allStart);
  return {
    scheduledMicros: micros(scheduled),
    allStartMicros: start,
    opStartRelMicros: micros(opStart) - start,
    opEndRelMicros: micros(opEnd) - start,
    allEndRelMicros: micros(allEnd) - start,
    scheduledNanos: scheduled,
    allStartNanos: allStart,
    opStartRelNanos: opStart - allStart,
    opEndRelNanos: opEnd - allStart,
    allEndRelNanos: allEnd - allStart,
  };
}

/** `sum = AddV2(x, y, ^init)`: from which timelines read the op and the inputs. */
function labelOf({ name, def, proto }: GraphNode): string {
  return `${name} = ${def.name}(${proto.input.join(', ')})`;
}

/** `[cpu 1.5MB 1.5MB] `; nothing for less than a tenth. */
function memoryText(bytes: number): string {
  if (bytes < 0.1 * MEBIBYTE) return '';
  const size = `${(bytes / MEBIBYTE).toFixed(1)}MB`;
  return `[${ALLOCATOR} ${size} ${size}] `;
}

function memoryUsed(bytes: number): MessageInitShape<typeof AllocatorMemoryUsedSchema> {
  const size = BigInt(bytes);
  return { allocatorName: ALLOCATOR, totalBytes: size, peakBytes: size, liveBytes: size };
}

/** Outputs that this execution made: not passed on from an input, and not the state of a constant or a variable. */
function allocated({ inputs: edges, def }: GraphNode, inputs: readonly Value[], outputs: readonly Output[]): ReadonlySet<Tensor> {
  if (edges.length === 0 || def.isStateful) return new Set();
  const known = new Set(inputs.map((input) => tensorOf(input)?.data));
  const made = outputs.flatMap((output) => (output === DEAD || output instanceof VariableRef ? [] : [output]));
  return new Set(made.filter((tensor) => !known.has(tensor.data)));
}

function describe(output: Output, slot: number, fresh: ReadonlySet<Tensor>): MessageInitShape<typeof NodeOutputSchema>[] {
  const tensor = tensorOf(output);
  if (!tensor) return [];
  const bytes = BigInt(byteLength(tensor));
  const allocation = { requestedBytes: bytes, allocatedBytes: fresh.has(tensor) ? bytes : 0n, allocatorName: ALLOCATOR };
  return [
    {
      slot,
      tensorDescription: {
        dtype: dtypeNumber(tensor.dtype),
        shape: { dim: tensor.shape.map((size) => ({ size: BigInt(size) })) },
        ...(bytes > 0n ? { allocationDescription: allocation } : {}),
      },
    },
  ];
}

function tensorOf(output: Output): Tensor | undefined {
  if (output === DEAD) return undefined;
  return output instanceof VariableRef ? output.variable.value : output;
}
