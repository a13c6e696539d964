import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { KernelNode, PureKernelSpec, StatefulKernelSpec } from '../engine/kernel.ts';
import { cellsOf, fillElements, newCells } from './array-cells.ts';
import { checkedDims } from './array-index.ts';
import { numberToBfloat16, numberToHalf } from './half.ts';
import { indices } from './numeric-types.ts';
import { partialShapeText } from './shape.ts';

/** Ops that hand on their inputs as they are, in this program if not in every one that TensorFlow runs. */
const passing = ['Identity', 'IdentityN', 'StopGradient', 'PreventGradient', 'Snapshot', 'PlaceholderWithDefault'];

const passingKernels = passing.map((op): PureKernelSpec => ({ kind: 'pure', op, cost: () => 0, compute: (inputs) => inputs as Tensor[] }));

/** Decoded once for the life of the node, hence not pure. */
const constKernel: StatefulKernelSpec = {
  kind: 'stateful',
  op: 'Const',
  create({ attrs }) {
    const value = attrs.tensor('value');
    const dtype = attrs.type('dtype');
    if (value.dtype !== dtype) throw invalidArgument(`Type mismatch between value (${value.dtype}) and dtype (${dtype})`);
    const outputs = [value];
    return () => outputs;
  },
};

/** Runs only when nothing was fed in its place. */
function placeholder(op: string): StatefulKernelSpec {
  return {
    kind: 'stateful',
    op,
    create(node) {
      return () => {
        throw invalidArgument(notFedText(node));
      };
    },
  };
}

function notFedText({ name, attrs }: KernelNode): string {
  const shape = attrs.has('shape') ? attrs.shape('shape') : undefined;
  const known = shape && shape.length > 0 ? ` and shape ${partialShapeText(shape)}` : '';
  return `You must feed a value for placeholder tensor '${name}' with dtype ${attrs.type('dtype')}${known}`;
}

function fill([dims, value]: readonly Tensor[]): Tensor[] {
  const { shape } = dims as Tensor;
  const element = value as Tensor;
  if (shape.length > 1) throw invalidArgument(`dims must represent a vector, got shape ${shapeText(shape)}`);
  if (element.shape.length > 0 && element.data.length !== 1) {
    throw invalidArgument(`value must represent a scalar, got shape ${shapeText(element.shape)}`);
  }
  const filled = newCells(element.dtype, checkedDims(indices(dims as Tensor)));
  fillElements(filled, cellsOf(element));
  return [filled.tensor];
}

function zerosLike([tensor]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = tensor as Tensor;
  return [{ dtype, shape, data: allocate(dtype, sizeOf(shape)) }];
}

function onesLike([tensor]: readonly Tensor[]): Tensor[] {
  const { dtype, shape } = tensor as Tensor;
  const data = allocate(dtype, sizeOf(shape));
  if (dtype === 'half' || dtype === 'bfloat16') (data as Uint16Array).fill(dtype === 'half' ? numberToHalf(1) : numberToBfloat16(1));
  else if (data instanceof BigInt64Array || data instanceof BigUint64Array) data.fill(1n);
  else if (dtype === 'complex64' || dtype === 'complex128') for (let i = 0; i < data.length; i += 2) data[i] = 1;
  else if (!Array.isArray(data)) data.fill(1);
  return [{ dtype, shape, data }];
}

export const constantKernels: readonly (PureKernelSpec | StatefulKernelSpec)[] = [
  constKernel,
  placeholder('Placeholder'),
  placeholder('PlaceholderV2'),
  ...passingKernels,
  { kind: 'pure', op: 'Fill', cost: ([dims]) => sizeOf(indices(dims as Tensor)), compute: fill },
  { kind: 'pure', op: 'ZerosLike', compute: zerosLike },
  { kind: 'pure', op: 'OnesLike', compute: onesLike },
];
