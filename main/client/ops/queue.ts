import type { PartialShape } from '#proto/wire/attr.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import type { GraphBuilder, Node, OpOptions, Output, TensorInput } from '../graph/node.ts';

export interface QueueOptions extends OpOptions {
  /** Shape of each component; without shapes elements may differ, but then `dequeueMany` is not possible. */
  readonly shapes?: readonly (readonly number[])[];
  /** Sessions that name the same queue on the same task share it; without a name it belongs to one session. */
  readonly sharedName?: string;
}

/** First in, first out. Full, `enqueue` waits; empty, `dequeue` waits: for other steps, so run those at the same time. */
export class FifoQueue {
  readonly handle: Output;
  readonly #dtypes: readonly DType[];
  readonly #shapes: readonly PartialShape[];

  constructor(handle: Output, dtypes: readonly DType[], shapes: readonly PartialShape[]) {
    this.handle = handle;
    this.#dtypes = dtypes;
    this.#shapes = shapes;
  }

  /** Puts one element, one tensor for each component. */
  enqueue(...components: readonly TensorInput[]): Node {
    return this.#put('QueueEnqueueV2', 'enqueue', components);
  }

  /** Puts as many elements as the first dimension of each component has. */
  enqueueMany(...components: readonly TensorInput[]): Node {
    return this.#put('QueueEnqueueManyV2', 'EnqueueMany', components);
  }

  /** Takes one element: one tensor for each component. */
  dequeue(): readonly Output[] {
    return this.#take('QueueDequeueV2', 'Dequeue', [], (shape) => shape);
  }

  /** Takes exactly `count` elements, stacked along a new first dimension. Fails OUT_OF_RANGE when the queue is closed and has fewer. */
  dequeueMany(count: number): readonly Output[] {
    return this.#take('QueueDequeueManyV2', 'DequeueMany', [count], (shape) => shape && [count, ...shape]);
  }

  /** Takes `count` elements, or what is left when the queue is closed. */
  dequeueUpTo(count: number): readonly Output[] {
    return this.#take('QueueDequeueUpToV2', 'DequeueUpTo', [count], (shape) => shape && [-1, ...shape]);
  }

  /** No more elements are taken in; those waiting to be put in are kept unless `cancelPending`. */
  close({ cancelPending = false }: { cancelPending?: boolean } = {}): Node {
    return this.#op('QueueCloseV2', 'Close', [], { cancel_pending_enqueues: cancelPending });
  }

  /** Number of elements; int32 scalar. */
  size(): Output {
    return this.#op('QueueSizeV2', 'Size', []).output();
  }

  isClosed(): Output {
    return this.#op('QueueIsClosedV2', 'Is_Closed', []).output();
  }

  #put(type: string, suffix: string, components: readonly TensorInput[]): Node {
    if (components.length !== this.#dtypes.length) {
      throw invalidArgument(
        `An element of queue '${this.handle.node.name}' has ${this.#dtypes.length} components, not ${components.length}`,
      );
    }
    return this.#op(type, suffix, [components], { Tcomponents: this.#dtypes });
  }

  #take(type: string, suffix: string, inputs: readonly number[], shapeOf: (shape: PartialShape) => PartialShape): readonly Output[] {
    const { outputs } = this.#op(type, suffix, inputs, { component_types: this.#dtypes });
    for (const [i, output] of outputs.entries()) output.setShape(shapeOf(this.#shapes[i]));
    return outputs;
  }

  #op(type: string, suffix: string, inputs: Parameters<GraphBuilder['op']>[1], attrs: Parameters<GraphBuilder['op']>[2] = {}): Node {
    return this.handle.graph.op(type, [this.handle, ...inputs], attrs, { name: `${this.handle.node.name}_${suffix}` });
  }
}

export const queueOps = {
  /** A queue of at most `capacity` elements, each with one component for each dtype. */
  fifoQueue(graph: GraphBuilder, capacity: number, dtypes: DType | readonly DType[], options: QueueOptions = {}): FifoQueue {
    const { shapes = [], sharedName = '', name = 'fifo_queue' } = options;
    const types = typeof dtypes === 'string' ? [dtypes] : dtypes;
    const attrs = { component_types: types, shapes, capacity, shared_name: sharedName };
    const handle = graph.op('FIFOQueueV2', [], attrs, { name, ...(options.device && { device: options.device }) }).output();
    return new FifoQueue(handle, types, shapes);
  },
};
