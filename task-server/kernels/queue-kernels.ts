import { invalidArgument } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { Device } from '../engine/device.ts';
import type { KernelNode, OpContext, StatefulKernelSpec, Value } from '../engine/kernel.ts';
import { Variable, VariableRef } from '../engine/variable.ts';
import { firstIndex, indexTensor } from './array-index.ts';
import { Queue } from './queue.ts';
import { checkElement, checkOutputTypes, emptyBatch, STACK, splitBatch } from './queue-elements.ts';
import { checkShared, type QueueSpec, queueSpec, queueTypes } from './queue-spec.ts';
import type { Element } from './queue-store.ts';
import { handleTensor, QUEUE, resourceName, resourceOf } from './variable-handle.ts';
import { flag } from './variable-ref.ts';
import { after } from './variable-update.ts';

/** A queue and what its nodes were made for. */
class SpecifiedQueue extends Queue {
  readonly spec: QueueSpec;

  constructor(name: string, spec: QueueSpec) {
    super({ typeName: spec.typeName, name, capacity: spec.capacity, store: spec.makeStore(), minAfterDequeue: spec.minAfterDequeue });
    this.spec = spec;
  }
}

/** How old graphs refer to a queue: by a reference to a string variable with container and name. */
class QueueRef extends VariableRef {
  readonly queue: SpecifiedQueue;

  constructor(queue: SpecifiedQueue, container: string) {
    const variable = new Variable('string');
    variable.value = { dtype: 'string', shape: [2], data: [container, queue.name].map((text) => new TextEncoder().encode(text)) };
    super(variable, queue.name);
    this.queue = queue;
  }
}

/** Without a shared name a queue belongs to the node in its session; with one, to all that use the name on this device. */
function queueKernel(typeName: string, op: string): StatefulKernelSpec {
  return {
    kind: 'stateful',
    op,
    create(node, device) {
      const spec = queueSpec(typeName, node);
      const { container, sharedName } = resourceName(node);
      const own = sharedName ? undefined : new SpecifiedQueue(device.resources.privateName(node.name), spec);
      const key = { container, kind: QUEUE.kind, name: sharedName };
      const find = () => own ?? device.resources.lookupOrCreate(key, () => new SpecifiedQueue(sharedName, spec));
      const refers = op === typeName;
      let known: SpecifiedQueue | undefined;
      let outputs: readonly Value[] = [];
      return () => {
        const queue = find();
        if (queue === known) return outputs;
        checkShared(queue.name, queue.spec, spec);
        known = queue;
        outputs = [refers ? new QueueRef(queue, container || device.resources.defaultContainer) : handle(device, container, queue, own)];
        return outputs;
      };
    },
  };
}

function handle(device: Device, container: string, queue: SpecifiedQueue, own: SpecifiedQueue | undefined): Tensor<'resource'> {
  return handleTensor(device, QUEUE, { container, name: queue.name }, own);
}

function queueOf(value: Value | undefined, device: Device): SpecifiedQueue {
  return value instanceof QueueRef ? value.queue : resourceOf<SpecifiedQueue>(value, QUEUE, device);
}

type Operation = (queue: SpecifiedQueue, inputs: readonly Tensor[], context: OpContext, node: KernelNode) => Value[] | Promise<Value[]>;

/** Under the name with `V2`, for handles that are resources, and without, for references. */
function operationKernels(op: string, run: Operation): StatefulKernelSpec[] {
  return [`${op}V2`, op].map((name) => ({
    kind: 'stateful',
    op: name,
    create(node) {
      checkTimeout(node);
      return (context, [target, ...inputs]) => run(queueOf(target, context.device), inputs as readonly Tensor[], context, node);
    },
  }));
}

function checkTimeout({ attrs, name }: KernelNode): void {
  if (attrs.has('timeout_ms') && attrs.int('timeout_ms') !== -1) throw invalidArgument(`'${name}'\nTimeout not supported yet.`);
}

const none = (): Value[] => [];

const enqueue: Operation = (queue, element, { signal }) => {
  checkElement(queue.spec, element);
  return after(queue.enqueue([element], signal), none);
};

const enqueueMany: Operation = (queue, batch, { signal }) => after(queue.enqueue(splitBatch(queue.spec, batch), signal), none);

const dequeue: Operation = (queue, _, { signal }, { attrs }) => {
  checkOutputTypes(queue.spec, attrs.types('component_types'));
  return after(queue.dequeue(1, signal), ([element]) => [...(element as Element)]);
};

const dequeueBatch =
  (title: string, upTo: boolean): Operation =>
  (queue, [countTensor], context, { attrs }) => {
    const { spec } = queue;
    checkOutputTypes(spec, attrs.types('component_types'));
    const given = countTensor as Tensor;
    if (given.shape.length > 0) throw invalidArgument(`${title} takes a scalar number of elements`);
    const count = firstIndex(given);
    if (count < 0) throw invalidArgument(`${title} requested ${count} < 0 elements`);
    if (spec.shapes.length === 0) {
      throw invalidArgument(`${spec.typeName}'s DequeueMany and DequeueUpTo require the components to have specified shapes.`);
    }
    return after(queue.dequeue(count, context.signal, { upTo }), (elements) => batched(spec, elements, context, attrs));
  };

function batched(
  spec: QueueSpec,
  elements: readonly Element[],
  context: OpContext,
  attrs: KernelNode['attrs'],
): Value[] | Promise<Value[]> {
  if (elements.length === 0) return emptyBatch(spec);
  const stacked = spec.types.map((_, component) =>
    context.compute(
      STACK,
      elements.map((element) => element[component] as Tensor),
      attrs,
    ),
  );
  if (stacked.every((result) => Array.isArray(result))) return stacked.flat();
  return Promise.all(stacked).then((results) => results.flat());
}

const close: Operation = (queue, _, { signal }, { attrs }) => after(queue.close(attrs.bool('cancel_pending_enqueues'), signal), none);

export const queueKernels: readonly StatefulKernelSpec[] = [
  ...queueTypes.flatMap((typeName) => [queueKernel(typeName, `${typeName}V2`), queueKernel(typeName, typeName)]),
  ...operationKernels('QueueEnqueue', enqueue),
  ...operationKernels('QueueEnqueueMany', enqueueMany),
  ...operationKernels('QueueDequeue', dequeue),
  ...operationKernels('QueueDequeueMany', dequeueBatch('DequeueManyOp', false)),
  ...operationKernels('QueueDequeueUpTo', dequeueBatch('DequeueUpToOp', true)),
  ...operationKernels('QueueClose', close),
  ...operationKernels('QueueSize', (queue) => [indexTensor('int32', [queue.size], [])]),
  ...operationKernels('QueueIsClosed', (queue) => [flag(queue.isClosed)]),
];
