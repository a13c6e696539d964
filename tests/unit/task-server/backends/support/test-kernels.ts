import { create } from '@bufbuild/protobuf';
import { type AttrValue, AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { Attrs } from '#proto/wire/attr.ts';
import { type DType, dtypeNumber } from '#proto/wire/dtype.ts';
import { deadlineExceeded, invalidArgument } from '#proto/wire/status.ts';
import { allocate, type DataByType, isTensorOf, makeTensor, sizeOf, type Tensor, zeros } from '#proto/wire/tensor.ts';
import type { PureCall } from '../../../../../task-server/engine/device.ts';
import type { KernelSpec } from '../../../../../task-server/engine/kernel.ts';

const HEAVY = 1e9;

function only(inputs: readonly Tensor[]): Tensor<'float'> {
  const [input] = inputs;
  if (!input || !isTensorOf(input, 'float')) throw invalidArgument('one float expected');
  return input;
}

/** Kernels whose behaviour shows where they ran and lets tests hold or break a thread. */
export const testKernels: readonly KernelSpec[] = [
  { op: 'Light', kind: 'pure', cost: () => 1, compute: (inputs) => [...inputs] },
  { op: 'Heavy', kind: 'pure', cost: () => HEAVY, compute: (inputs) => [...inputs] },
  { op: 'HeavyFloats', kind: 'pure', types: { T: ['float'] }, cost: () => HEAVY, compute: (inputs) => [only(inputs)] },
  {
    op: 'Double',
    kind: 'pure',
    cost: () => HEAVY,
    compute: (inputs) => {
      const input = only(inputs);
      const output = zeros('float', input.shape);
      for (let i = 0; i < input.data.length; i++) output.data[i] = 2 * (input.data[i] ?? 0);
      return [output];
    },
  },
  {
    op: 'Spin',
    kind: 'pure',
    cost: () => HEAVY,
    compute: (inputs) => {
      const until = performance.now() + (only(inputs).data[0] ?? 0);
      while (performance.now() < until);
      return [...inputs];
    },
  },
  {
    op: 'Meet',
    kind: 'pure',
    cost: () => HEAVY,
    compute: ([counter]) => {
      const present = counter?.data as Int32Array;
      Atomics.add(present, 0, 1);
      Atomics.notify(present, 0);
      const isAlone = Atomics.load(present, 0) < 2 && Atomics.wait(present, 0, 1, 8000) === 'timed-out';
      if (isAlone) throw deadlineExceeded('nobody came');
      return [];
    },
  },
  {
    op: 'IsShared',
    kind: 'pure',
    cost: () => HEAVY,
    compute: (inputs) => [scalar(only(inputs).data.buffer instanceof SharedArrayBuffer ? 1 : 0)],
  },
  { op: 'BufferBytes', kind: 'pure', cost: () => HEAVY, compute: (inputs) => [scalar(only(inputs).data.buffer.byteLength)] },
  { op: 'ProcessId', kind: 'pure', cost: () => HEAVY, compute: () => [scalar(process.pid)] },
  {
    op: 'TextOf',
    kind: 'pure',
    cost: () => HEAVY,
    compute: (_, attrs) => [makeTensor('string', [], [new TextEncoder().encode(attrs.text('text'))])],
  },
  {
    op: 'Fail',
    kind: 'pure',
    cost: () => HEAVY,
    compute: () => {
      throw invalidArgument('bad value', { details: { why: 'test' } });
    },
  },
  {
    op: 'Bug',
    kind: 'pure',
    cost: () => HEAVY,
    compute: () => {
      throw new TypeError('x is undefined');
    },
  },
  { op: 'TooLarge', kind: 'pure', cost: () => HEAVY, compute: () => [makeTensor('float', [2 ** 40], allocate('float', 2 ** 50))] },
  { op: 'Exit', kind: 'pure', cost: () => HEAVY, compute: () => process.exit(7) },
  { op: 'MatMul', kind: 'pure', cost: () => HEAVY, compute: () => [scalar(-1)] },
  { op: 'Stateful', kind: 'stateful', create: () => (_, inputs) => inputs },
];

export function scalar(value: number): Tensor<'float'> {
  return makeTensor('float', [], Float32Array.of(value));
}

/** For two calls of `Meet`, which end only when both run at the same time. */
export function meetingPoint(): Tensor<'int32'> {
  return makeTensor('int32', [1], new Int32Array(new SharedArrayBuffer(4)));
}

export function tensor<D extends DType>(dtype: D, shape: readonly number[], data: DataByType[D]): Tensor<D> {
  return makeTensor(dtype, shape, data);
}

/** A float tensor of 0, 1, 2… in the memory that tensors of its size get. */
export function counting(...shape: number[]): Tensor<'float'> {
  const data = allocate('float', sizeOf(shape));
  for (let i = 0; i < data.length; i++) data[i] = i;
  return makeTensor('float', shape, data);
}

export function attrs(values: Readonly<Record<string, boolean | string | { type: DType }>> = {}): Attrs {
  const messages: Record<string, AttrValue> = {};
  for (const [name, value] of Object.entries(values)) messages[name] = create(AttrValueSchema, { value: attrValue(value) });
  return new Attrs(messages, 'n');
}

function attrValue(value: boolean | string | { type: DType }): Exclude<AttrValue['value'], { case: undefined }> {
  if (typeof value === 'boolean') return { case: 'b', value };
  if (typeof value === 'string') return { case: 's', value: new TextEncoder().encode(value) };
  return { case: 'type', value: dtypeNumber(value.type) };
}

export function call(op: string, inputs: readonly Tensor[] = [], of: Attrs = attrs()): PureCall {
  return { op, node: 'n', inputs, attrs: of };
}
