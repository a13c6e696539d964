import type { Attrs, PartialShape } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { random64 } from '#proto/wire/ids.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { KernelNode } from '../engine/kernel.ts';
import { Philox } from './philox.ts';
import { type ElementStore, FifoStore, PriorityStore, ShuffleStore } from './queue-store.ts';
import { partialShapeText } from './shape.ts';

/** What a node asks of its queue; nodes that share one must ask for the same. */
export interface QueueSpec {
  readonly typeName: string;
  readonly op: string;
  readonly capacity: number;
  readonly types: readonly DType[];
  /** One per component, or none at all: any shape. Unknown dimensions in padding queues only. */
  readonly shapes: readonly PartialShape[];
  readonly minAfterDequeue: number;
  readonly seeds: readonly [bigint, bigint];
  readonly pads: boolean;
  makeStore(): ElementStore;
}

/** Kinds of queue under the names of their ops, without `V2`. */
const stores: Readonly<Record<string, (seeds: readonly [bigint, bigint]) => ElementStore>> = {
  FIFOQueue: () => new FifoStore(),
  PaddingFIFOQueue: () => new FifoStore(),
  RandomShuffleQueue: (seeds) => new ShuffleStore(generator(seeds)),
  PriorityQueue: () => new PriorityStore(),
};

export const queueTypes = Object.keys(stores);

function generator([seed, seed2]: readonly [bigint, bigint]): Philox {
  if (seed !== 0n || seed2 !== 0n) return Philox.fromSeeds(seed, seed2);
  return Philox.fromSeeds(random64(), random64());
}

export function queueSpec(typeName: string, node: KernelNode): QueueSpec {
  const { attrs, op } = node;
  const seeds = [optionalInt(attrs, 'seed'), optionalInt(attrs, 'seed2')] as const;
  const isPriority = typeName === 'PriorityQueue';
  const shapes = attrs.shapes('shapes');
  const spec: QueueSpec = {
    typeName,
    op,
    capacity: attrs.int('capacity'),
    types: [...(isPriority ? (['int64'] as const) : []), ...attrs.types('component_types')],
    shapes: isPriority && shapes.length > 0 ? [[], ...shapes] : shapes,
    minAfterDequeue: Number(optionalInt(attrs, 'min_after_dequeue')),
    seeds,
    pads: typeName === 'PaddingFIFOQueue',
    makeStore: () => (stores[typeName] ?? (() => new FifoStore()))(seeds),
  };
  checkSpec(spec, node);
  return spec;
}

function optionalInt(attrs: Attrs, name: string): bigint {
  return attrs.has(name) ? attrs.bigint(name) : 0n;
}

function checkSpec({ types, shapes, pads, minAfterDequeue, capacity }: QueueSpec, { name }: KernelNode): void {
  if (pads && shapes.length !== types.length) {
    throw invalidArgument(`Shapes must be provided for all components, but received ${types.length} dtypes and ${shapes.length} shapes.`);
  }
  if (shapes.length > 0 && shapes.length !== types.length) {
    throw invalidArgument(`Different number of component types.  Types: ${types.join(', ')}, Shapes: ${shapesText(shapes)}`);
  }
  if (minAfterDequeue < 0) throw invalidArgument(`'${name}'\nmin_after_dequeue ${minAfterDequeue} must be >= 0`);
  if (capacity >= 0 && minAfterDequeue >= capacity && minAfterDequeue > 0) {
    throw invalidArgument(`'${name}'\nmin_after_dequeue ${minAfterDequeue} must be < capacity ${capacity}`);
  }
}

export function shapesText(shapes: readonly PartialShape[]): string {
  return `[${shapes.map(partialShapeText).join(', ')}]`;
}

/** A queue that is there already serves a node only when it is as the node wants it. */
export function checkShared(name: string, present: QueueSpec, wanted: QueueSpec): void {
  if (present.typeName !== wanted.typeName) throw invalidArgument(`Expected ${present.typeName}, found ${wanted.op}`);
  const compare = (what: string, have: unknown, want: unknown, were = 'was'): void => {
    if (have !== want) throw invalidArgument(`Shared queue '${name}' has ${what} ${have} but requested ${what} ${were} ${want}`);
  };
  compare('capacity', present.capacity, wanted.capacity);
  compare('min_after_dequeue', present.minAfterDequeue, wanted.minAfterDequeue);
  if (wanted.seeds.some((seed, index) => seed !== 0n && seed !== present.seeds[index])) {
    const [have, want] = [present.seeds.join(', '), wanted.seeds.join(', ')];
    throw invalidArgument(`Shared queue '${name}' has random seeds (${have}) but requested seeds are (${want}).`);
  }
  compare('component types', present.types.join(', '), wanted.types.join(', '), 'were');
  compare('component shapes', shapesText(present.shapes), shapesText(wanted.shapes), 'were');
}
