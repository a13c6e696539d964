import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { eachSpan } from './broadcast.ts';
import { add, addBig, type Loop } from './elementwise-loops.ts';
import { NUMBERS, numericTensor, numericType, type WorkArray } from './numeric-types.ts';
import { sumExcept } from './reduce.ts';

/** The dimension that has one bias each: the last one, or the second of NCHW. */
function channelAxis(x: Tensor, attrs: Attrs): number {
  if (x.shape.length < 2) throw invalidArgument(`Input tensor must be at least 2D: ${shapeText(x.shape)}`);
  return attrs.has('data_format') && attrs.text('data_format') === 'NCHW' ? 1 : x.shape.length - 1;
}

function biasAddKernel(op: string): PureKernelSpec {
  return {
    kind: 'pure',
    op,
    types: { T: NUMBERS },
    compute(inputs, attrs) {
      const [x, bias] = inputs as readonly [Tensor, Tensor];
      const axis = channelAxis(x, attrs);
      requireBias(x, bias, axis);
      const { widen, create, domain } = numericType(x.dtype);
      const loop = (domain === 'bigint' ? addBig : add) as Loop<WorkArray>;
      const values = widen(x);
      const biases = widen(bias);
      const out = create(values.length);
      const broadcast = [...bias.shape, ...x.shape.slice(axis + 1).map(() => 1)];
      eachSpan(x.shape, broadcast, x.shape, (span) => loop(values, biases, out, span));
      return [numericTensor(x.dtype, x.shape, out)];
    },
  };
}

function requireBias(x: Tensor, bias: Tensor, axis: number): void {
  if (bias.shape.length !== 1) throw invalidArgument(`Biases must be 1D: ${shapeText(bias.shape)}`);
  if (bias.shape[0] !== x.shape[axis]) {
    const shapes = `${shapeText(bias.shape)} vs. ${shapeText(x.shape)}`;
    throw invalidArgument(`Must provide as many biases as the last dimension of the input tensor: ${shapes}`);
  }
}

/** Sums over everything but the channels. */
const biasAddGrad: PureKernelSpec = {
  kind: 'pure',
  op: 'BiasAddGrad',
  types: { T: NUMBERS },
  compute(inputs, attrs) {
    const [x] = inputs as readonly [Tensor];
    return [sumExcept(x, channelAxis(x, attrs))];
  },
};

export const biasKernels: readonly PureKernelSpec[] = [biasAddKernel('BiasAdd'), biasAddKernel('BiasAddV1'), biasAddGrad];
