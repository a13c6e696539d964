import { describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { makeTensor, type Tensor } from '#proto/wire/tensor.ts';
import { queueElementKernels } from '../../../../task-server/kernels/queue-elements.ts';
import { queueKernels } from '../../../../task-server/kernels/queue-kernels.ts';
import {
  type AttrInit,
  type BenchNode,
  float,
  floats,
  int32,
  KernelBench,
  shapeList,
  step,
  tensorFrom,
} from '../../../support/kernel-node.ts';

const type = { types: ['float'] } as const;

function bench(): KernelBench {
  return new KernelBench([...queueKernels, ...queueElementKernels]);
}

interface Made {
  readonly op?: string;
  readonly capacity?: number;
  readonly shapes?: readonly (readonly number[])[];
  readonly types?: readonly 'float'[] | readonly 'string'[];
  readonly sharedName?: string;
  readonly node?: string;
  readonly more?: Readonly<Record<string, AttrInit>>;
}

function queueNode(
  on: KernelBench,
  { op = 'FIFOQueueV2', capacity = 10, shapes = [[]], types = ['float'], sharedName = '', node = 'q', more = {} }: Made,
): BenchNode {
  const attrs = { component_types: { types }, shapes: shapeList(shapes), capacity, container: '', shared_name: sharedName, ...more };
  return on.node(op, attrs, node);
}

/** A queue and its operations, each a node of its own. */
async function queue(made: Made = {}, on = bench(), component: { readonly types: readonly ('float' | 'int64' | 'string')[] } = type) {
  const handle = await queueNode(on, made).tensor();
  const nodes = {
    enqueue: on.node('QueueEnqueueV2', { timeout_ms: -1 }),
    enqueueMany: on.node('QueueEnqueueManyV2', { timeout_ms: -1 }),
    dequeue: on.node('QueueDequeueV2', { component_types: component, timeout_ms: -1 }),
    dequeueMany: on.node('QueueDequeueManyV2', { component_types: component, timeout_ms: -1 }),
    dequeueUpTo: on.node('QueueDequeueUpToV2', { component_types: component, timeout_ms: -1 }),
    close: on.node('QueueCloseV2', { cancel_pending_enqueues: false }),
    cancel: on.node('QueueCloseV2', { cancel_pending_enqueues: true }),
    size: on.node('QueueSizeV2'),
    isClosed: on.node('QueueIsClosedV2'),
  };
  return {
    handle,
    nodes,
    put: (...values: number[]) => nodes.enqueueMany.run(handle, floats(...values)),
    take: async () => (await nodes.dequeue.tensor(handle)).data[0],
    takeMany: async (count: number) => [...(await nodes.dequeueMany.tensor(handle, int32(count))).data],
    takeUpTo: async (count: number) => [...(await nodes.dequeueUpTo.tensor(handle, int32(count))).data],
    close: () => nodes.close.run(handle),
    cancel: () => nodes.cancel.run(handle),
    size: async () => (await nodes.size.tensor(handle)).data[0],
  };
}

describe('a FIFO queue', () => {
  it('gives out what came in, in order, at once when it can', async () => {
    const { nodes, handle, take } = await queue();
    expect(nodes.enqueue.start([handle, float(7)])).toEqual([]);
    expect(nodes.dequeue.start([handle])).toEqual([float(7)]);
    await nodes.enqueueMany.run(handle, floats(1, 2));
    expect([await take(), await take()]).toEqual([1, 2]);
  });

  it('lets a dequeue wait for an enqueue, and serves waiters in the order they came', async () => {
    const { take, put } = await queue();
    const waiting = [take(), take()];
    await put(1);
    await put(2);
    expect(await Promise.all(waiting)).toEqual([1, 2]);
  });

  it('fills a batch that is larger than its capacity while a dequeue_many takes out', async () => {
    const { put, takeMany } = await queue({ capacity: 2 });
    const putting = put(1, 2, 3, 4);
    expect(await takeMany(4)).toEqual([1, 2, 3, 4]);
    await putting;
  });

  it('takes a batch together from several enqueues', async () => {
    const { put, takeMany, size } = await queue();
    const waiting = takeMany(3);
    await put(1, 2);
    expect(await size()).toBe(0);
    await put(3, 4);
    expect(await waiting).toEqual([1, 2, 3]);
    expect(await size()).toBe(1);
  });

  it('gives an empty batch for none, negative numbers are refused', async () => {
    const { nodes, handle, takeMany } = await queue({ shapes: [[2]] });
    expect((await nodes.dequeueMany.tensor(handle, int32(0))).shape).toEqual([0, 2]);
    await expect(takeMany(-1)).rejects.toMatchObject({ message: 'DequeueManyOp requested -1 < 0 elements', code: Code.INVALID_ARGUMENT });
  });
});

describe('closing', () => {
  it('ends a waiting dequeue with OUT_OF_RANGE and later enqueues with CANCELLED', async () => {
    const { take, put, close, nodes, handle } = await queue({ sharedName: 'qq' });
    const waiting = take();
    await close();
    const closed = {
      code: Code.OUT_OF_RANGE,
      message: "FIFOQueue 'qq' is closed and has insufficient elements (requested 1, current size 0)",
    };
    await expect(waiting).rejects.toMatchObject(closed);
    await expect(take()).rejects.toMatchObject(closed);
    await expect(put(1)).rejects.toMatchObject({ code: Code.CANCELLED, message: "FIFOQueue 'qq' is closed." });
    await expect(close()).rejects.toMatchObject({ code: Code.CANCELLED, message: "Queue 'qq' is already closed." });
    expect((await nodes.isClosed.tensor(handle)).data[0]).toBe(1);
  });

  it('puts a partial batch back', async () => {
    const { takeMany, take, put, close, size } = await queue();
    const waiting = takeMany(3);
    await put(1, 2);
    await close();
    await expect(waiting).rejects.toMatchObject({ code: Code.OUT_OF_RANGE });
    expect([await size(), await take(), await take()]).toEqual([2, 1, 2]);
  });

  it('gives dequeue_up_to what is left, then OUT_OF_RANGE', async () => {
    const { takeUpTo, put, close } = await queue();
    await put(9);
    await close();
    expect(await takeUpTo(3)).toEqual([9]);
    await expect(takeUpTo(3)).rejects.toMatchObject({ code: Code.OUT_OF_RANGE });
  });

  it('waits for pending enqueues', async () => {
    const { put, close, take, nodes, handle } = await queue({ capacity: 1 });
    const putting = put(1, 2);
    const closing = close();
    expect((await nodes.isClosed.tensor(handle)).data[0]).toBe(0);
    expect(await take()).toBe(1);
    await Promise.all([putting, closing]);
    expect(await take()).toBe(2);
    await expect(take()).rejects.toMatchObject({ code: Code.OUT_OF_RANGE });
  });

  it('with cancel_pending_enqueues ends blocked enqueues; what is inside stays', async () => {
    const { put, cancel, take } = await queue({ capacity: 1 });
    await put(1);
    const blocked = put(2);
    await cancel();
    await cancel();
    await expect(blocked).rejects.toMatchObject({ code: Code.CANCELLED, message: 'Enqueue operation was cancelled' });
    expect(await take()).toBe(1);
  });
});

describe('a cancelled step', () => {
  it('leaves the line, so that the next waiter gets the element', async () => {
    const { nodes, handle, take, put } = await queue();
    const { signal, cancel } = step();
    const cancelledWait = nodes.dequeue.start([handle], signal);
    const next = take();
    cancel();
    await expect(cancelledWait).rejects.toMatchObject({ code: Code.CANCELLED, message: 'Step was cancelled' });
    await put(5);
    expect(await next).toBe(5);
  });

  it('gives back what a batch had taken', async () => {
    const { nodes, handle, put, takeMany } = await queue();
    const { signal, cancel } = step();
    const waiting = nodes.dequeueMany.start([handle, int32(3)], signal);
    await put(1, 2);
    cancel();
    await expect(waiting).rejects.toMatchObject({ code: Code.CANCELLED });
    await put(3);
    expect(await takeMany(3)).toEqual([1, 2, 3]);
  });

  it('takes its blocked enqueue out of the way', async () => {
    const { nodes, handle, put, take } = await queue({ capacity: 1 });
    await put(1);
    const { signal, cancel } = step();
    const blocked = nodes.enqueue.start([handle, float(2)], signal);
    const next = put(3);
    cancel();
    await expect(blocked).rejects.toMatchObject({ code: Code.CANCELLED });
    expect([await take(), await take()]).toEqual([1, 3]);
    await next;
  });

  it('never starts when it is over already', async () => {
    const { nodes, handle, size } = await queue();
    const { signal, cancel } = step();
    cancel();
    expect(() => nodes.enqueue.start([handle, float(2)], signal)).toThrow('Step was cancelled');
    expect(await size()).toBe(0);
  });
});

describe('sharing', () => {
  it('one name is one queue for all nodes of the device', async () => {
    const on = bench();
    const a = await queue({ sharedName: 's', node: 'a' }, on);
    const b = await queue({ sharedName: 's', node: 'b' }, on);
    await a.put(7);
    expect(await b.take()).toBe(7);
  });

  it('without a name a queue is its node’s own, under a name made for messages', async () => {
    const on = bench();
    const a = await queue({}, on);
    const b = await queue({}, on);
    await a.put(7);
    expect(await b.size()).toBe(0);
    await b.close();
    await expect(b.take()).rejects.toThrow("FIFOQueue '_1_q' is closed");
  });

  it.each<[string, Made]>([
    ["Shared queue 's1' has capacity 2 but requested capacity was 5", { capacity: 5 }],
    ["Shared queue 's1' has component types float but requested component types were string", { types: ['string'] }],
    ["Shared queue 's1' has component shapes [[]] but requested component shapes were [[1]]", { shapes: [[1]] }],
    ["Shared queue 's1' has component shapes [[]] but requested component shapes were []", { shapes: [] }],
    ['Expected FIFOQueue, found PaddingFIFOQueueV2', { op: 'PaddingFIFOQueueV2' }],
  ])('%s', async (message, made) => {
    const on = bench();
    await queueNode(on, { sharedName: 's1', capacity: 2 }).run();
    await expect(queueNode(on, { sharedName: 's1', capacity: 2, ...made }).run()).rejects.toMatchObject({
      message,
      code: Code.INVALID_ARGUMENT,
    });
  });

  it('ends with the container', async () => {
    const on = bench();
    const { take, put } = await queue({ sharedName: 's' }, on);
    const waiting = take();
    on.device.resources.clear([]);
    await expect(waiting).rejects.toMatchObject({ code: Code.CANCELLED });
    await expect(put(1)).rejects.toMatchObject({ code: Code.NOT_FOUND });
  });

  it('old graphs refer to a queue by a reference', async () => {
    const on = bench();
    const [ref] = await queueNode(on, { op: 'FIFOQueue', sharedName: 'old' }).run();
    if (!ref) throw new Error('no reference');
    await on.node('QueueEnqueue', { timeout_ms: -1 }).run(ref, float(3));
    expect(await on.node('QueueDequeue', { component_types: type, timeout_ms: -1 }).run(ref)).toEqual([float(3)]);
    expect(await (await queue({ sharedName: 'old' }, on)).size()).toBe(0);
  });
});

describe('what goes in', () => {
  it.each<[string, Made, Tensor]>([
    ['Shape mismatch in tuple component 0. Expected [], got [2]', {}, floats(1, 2)],
    ['Signature mismatch, have: resource, int32-> expected: resource, float->', {}, int32(1)],
  ])('%s', async (message, made, value) => {
    const { nodes, handle } = await queue(made);
    await expect(nodes.enqueue.run(handle, value)).rejects.toMatchObject({ message, code: Code.INVALID_ARGUMENT });
  });

  it('a batch needs rows of the right shape', async () => {
    const { nodes, handle } = await queue();
    await expect(nodes.enqueueMany.run(handle, tensorFrom('float', [1, 2], [1, 2]))).rejects.toThrow(
      'Shape mismatch in tuple component 0. Expected [1], got [1,2]',
    );
  });

  it('without shapes anything may go in, but no batch come out', async () => {
    const { nodes, handle, takeMany } = await queue({ shapes: [] });
    await nodes.enqueue.run(handle, floats(1, 2));
    await expect(takeMany(1)).rejects.toThrow("FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes.");
    expect(await nodes.dequeue.run(handle)).toEqual([floats(1, 2)]);
  });
});

describe('other kinds', () => {
  it('a random shuffle queue gives TensorFlow’s order and keeps its minimum until it is closed', async () => {
    const more = { seed: 7, seed2: 3, min_after_dequeue: 2 };
    const { put, takeMany, take, close, takeUpTo, size } = await queue({ op: 'RandomShuffleQueueV2', capacity: 20, more });
    await put(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    expect(await takeMany(4)).toEqual([3, 9, 0, 6]);
    expect([await take(), await take()]).toEqual([4, 7]);
    const waiting = takeMany(5);
    expect(await size()).toBe(2);
    await close();
    await expect(waiting).rejects.toMatchObject({ code: Code.OUT_OF_RANGE });
    expect((await takeUpTo(8)).sort()).toEqual([1, 2, 5, 8]);
  });

  it('a padding queue pads a batch with zeros', async () => {
    const { nodes, handle } = await queue({ op: 'PaddingFIFOQueueV2', shapes: [[-1]] });
    await nodes.enqueue.run(handle, floats(1));
    await nodes.enqueue.run(handle, floats(1, 2, 3));
    expect(await nodes.dequeueMany.run(handle, int32(2))).toEqual([tensorFrom('float', [2, 3], [1, 0, 0, 1, 2, 3])]);
  });

  it('a priority queue gives the smallest first, equal ones in the order they came', async () => {
    const component = { types: ['int64', 'string'] } as const;
    const { nodes, handle } = await queue({ op: 'PriorityQueueV2', types: ['string'] }, bench(), component);
    const text = (value: string) => makeTensor('string', [], [new TextEncoder().encode(value)]);
    for (const [priority, value] of [
      [3, 'd'],
      [1, 'a'],
      [2, 'b'],
      [2, 'c'],
    ] as const) {
      await nodes.enqueue.run(handle, tensorFrom('int64', [], [priority]), text(value));
    }
    const [priorities, values] = (await nodes.dequeueMany.run(handle, int32(4))) as [Tensor<'int64'>, Tensor<'string'>];
    expect([...priorities.data]).toEqual([1n, 2n, 2n, 3n]);
    expect(values.data.map((bytes) => new TextDecoder().decode(bytes))).toEqual(['a', 'b', 'c', 'd']);
  });
});
