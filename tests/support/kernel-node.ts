import { create } from '@bufbuild/protobuf';
import type { AttrValue } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { DeviceAttributesSchema } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { Attrs } from '#proto/wire/attr.ts';
import { type DType, dtypeNumber } from '#proto/wire/dtype.ts';
import { cancelled } from '#proto/wire/status.ts';
import { allocate, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import { toTensorProto } from '#proto/wire/tensor-codec.ts';
import type { Computer, Device, PureCall } from '../../task-server/engine/device.ts';
import { InlineComputer } from '../../task-server/engine/inline-computer.ts';
import type { KernelSpec, OpContext, StatefulCompute, StatefulKernelSpec, Value } from '../../task-server/engine/kernel.ts';
import { KernelRegistry } from '../../task-server/engine/kernel-registry.ts';
import { LocalRendezvous } from '../../task-server/engine/local-rendezvous.ts';
import { ResourceManager } from '../../task-server/engine/resource-manager.ts';

export type AttrInit = number | bigint | boolean | string | { readonly type: DType } | { readonly types: readonly DType[] } | AttrValue;

/** An attr as tests write it; numbers are integers. */
function attrValue(value: AttrInit): AttrValue {
  if (typeof value === 'number' || typeof value === 'bigint')
    return create(AttrValueSchema, { value: { case: 'i', value: BigInt(value) } });
  if (typeof value === 'boolean') return create(AttrValueSchema, { value: { case: 'b', value } });
  if (typeof value === 'string') return create(AttrValueSchema, { value: { case: 's', value: new TextEncoder().encode(value) } });
  if ('type' in value) return create(AttrValueSchema, { value: { case: 'type', value: dtypeNumber(value.type) } });
  if ('types' in value) return create(AttrValueSchema, { value: { case: 'list', value: { type: value.types.map(dtypeNumber) } } });
  return value;
}

export function attrValues(values: Readonly<Record<string, AttrInit>>): Record<string, AttrValue> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, attrValue(value)]));
}

/** A shape attr: -1 for unknown dimensions, undefined when not even the rank is known. */
export function shapeAttr(shape: readonly number[] | undefined): AttrValue {
  return create(AttrValueSchema, { value: { case: 'shape', value: shapeInit(shape) } });
}

/** A list of shapes. */
export function shapeList(shapes: readonly (readonly number[])[]): AttrValue {
  return create(AttrValueSchema, { value: { case: 'list', value: { shape: shapes.map(shapeInit) } } });
}

function shapeInit(shape: readonly number[] | undefined) {
  return shape ? { dim: shape.map((size) => ({ size: BigInt(size) })) } : { unknownRank: true };
}

export function tensorAttr(tensor: Tensor): AttrValue {
  return create(AttrValueSchema, { value: { case: 'tensor', value: toTensorProto(tensor) } });
}

/** A tensor of a number type from plain values. */
export function tensorFrom(dtype: DType, shape: readonly number[], values: readonly (number | bigint)[]): Tensor {
  const data = allocate(dtype, sizeOf(shape));
  for (const [index, value] of values.entries()) data[index] = (data instanceof BigInt64Array ? BigInt(value) : Number(value)) as never;
  return { dtype, shape, data };
}

export const floats = (...values: number[]) => tensorFrom('float', [values.length], values);
export const float = (value: number) => tensorFrom('float', [], [value]);
export const int32 = (value: number) => tensorFrom('int32', [], [value]);
export const int32s = (...values: number[]) => tensorFrom('int32', [values.length], values);

/** Answers every call later, as device threads do. */
class LaterComputer implements Computer {
  readonly backend = 'later';
  readonly #inner: InlineComputer;

  constructor(kernels: KernelRegistry) {
    this.#inner = new InlineComputer(kernels);
  }

  async run(call: PureCall): Promise<Tensor[]> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return this.#inner.run(call);
  }

  async dispose(): Promise<void> {}
}

export const CPU0 = '/job:ps/replica:0/task:0/device:CPU:0';

/** One task's CPU for tests of kernels with state: makes nodes and runs them, without a graph. */
export class KernelBench {
  readonly device: Device;
  readonly #kernels: KernelRegistry;

  constructor(specs: readonly KernelSpec[], { later = false } = {}) {
    this.#kernels = new KernelRegistry(specs);
    this.device = {
      name: CPU0,
      type: 'CPU',
      incarnation: 7n,
      attributes: create(DeviceAttributesSchema, { name: CPU0 }),
      resources: new ResourceManager('ps'),
      computer: later ? new LaterComputer(this.#kernels) : new InlineComputer(this.#kernels),
    };
  }

  /** A node's kernel; call the result as often as the node runs. */
  node(op: string, attrs: Readonly<Record<string, AttrInit>> = {}, name = op.toLowerCase()): BenchNode {
    const values = new Attrs(attrValues(attrs), name);
    const spec = this.#kernels.find(op, 'CPU', values) as StatefulKernelSpec;
    const types = { inputTypes: [], outputTypes: [] };
    return new BenchNode(spec.create({ name, op, attrs: values, ...types }, this.device), this.device, values);
  }
}

export class BenchNode {
  readonly #compute: StatefulCompute;
  readonly #device: Device;
  readonly #attrs: Attrs;

  constructor(compute: StatefulCompute, device: Device, attrs: Attrs) {
    this.#compute = compute;
    this.#device = device;
    this.#attrs = attrs;
  }

  /** Outputs at once, or a promise of them; errors are thrown or rejected as the kernel does. */
  start(inputs: readonly Value[] = [], signal: AbortSignal = new AbortController().signal): readonly Value[] | Promise<readonly Value[]> {
    return this.#compute(this.#context(signal), inputs) as readonly Value[] | Promise<readonly Value[]>;
  }

  /** The outputs. */
  async run(...inputs: Value[]): Promise<readonly Value[]> {
    return this.start(inputs);
  }

  /** The first output, where it is a tensor. */
  async tensor(...inputs: Value[]): Promise<Tensor> {
    return (await this.run(...inputs))[0] as Tensor;
  }

  #context(signal: AbortSignal): OpContext {
    const { computer } = this.#device;
    return {
      stepId: 1n,
      device: this.#device,
      rendezvous: new LocalRendezvous(),
      signal,
      frameId: 0n,
      iteration: 0n,
      inputsDead: false,
      compute: (op, inputs, attrs) => computer.run({ op, attrs, inputs, node: this.#attrs.node }, signal),
    };
  }
}

/** A step's signal and the means to cancel it. */
export function step(): { readonly signal: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, cancel: () => controller.abort(cancelled('Step was cancelled')) };
}
