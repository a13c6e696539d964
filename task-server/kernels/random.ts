import type { Attrs } from '#proto/wire/attr.ts';
import { random64 } from '#proto/wire/ids.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { StatefulKernelSpec } from '../engine/kernel.ts';
import { checkedDims, firstIndex } from './array-index.ts';
import { FLOATS, INDICES, indices } from './numeric-types.ts';
import { GROUP, Philox } from './philox.ts';

/**
 * Random ops keep a place in a stream of numbers for as long as the session has them. Each run hands key and counter to a
 * pure kernel that does the work (`_Philox…`, see random-fill.ts), and moves the counter on by what TensorFlow reserves.
 */
interface RandomOp {
  readonly op: string;
  readonly types?: StatefulKernelSpec['types'];
  /** Steps of the generator that a run takes from the stream; 0 when the inputs are the answer. Checks the inputs. */
  steps(inputs: readonly Tensor[]): number;
}

function generatorOf(attrs: Attrs): Philox {
  const seed = attrs.bigint('seed');
  const seed2 = attrs.bigint('seed2');
  if (seed !== 0n || seed2 !== 0n) return Philox.fromSeeds(seed, seed2);
  return Philox.fromSeeds(random64(), random64());
}

function randomKernel({ op, types, steps }: RandomOp): StatefulKernelSpec {
  return {
    kind: 'stateful',
    op,
    ...(types ? { types } : {}),
    create({ attrs }) {
      const generator = generatorOf(attrs);
      return (context, inputs) => {
        const tensors = inputs as readonly Tensor[];
        const state = generator.state();
        generator.skip(steps(tensors));
        return context.compute(`_Philox${op}`, [state, ...tensors], attrs);
      };
    },
  };
}

/** For every number as many steps as the most greedy distribution may need. */
const RESERVED_PER_NUMBER = 256;

function reserved(shape: Tensor): number {
  if (shape.shape.length !== 1) throw invalidArgument(`shape must be a vector of {int32,int64}, got shape ${shapeText(shape.shape)}`);
  return sizeOf(checkedDims(indices(shape))) * RESERVED_PER_NUMBER;
}

function uniformIntSteps([shape, low, high]: readonly Tensor[]): number {
  for (const [name, bound] of [
    ['minval', low],
    ['maxval', high],
  ] as const) {
    if (bound && bound.shape.length > 0) throw invalidArgument(`${name} must be 0-D, got shape ${shapeText(bound.shape)}`);
  }
  const [from, to] = [(low as Tensor<'int64'>).data[0], (high as Tensor<'int64'>).data[0]];
  const steps = reserved(shape as Tensor);
  if (steps > 0 && (from as bigint) >= (to as bigint)) throw invalidArgument(`Need minval < maxval, got ${from} >= ${to}`);
  return steps;
}

function shuffleSteps([value]: readonly Tensor[]): number {
  const [size = 1] = (value as Tensor).shape;
  return size > 1 && (value as Tensor).data.length > 1 ? Math.ceil((size - 1) / GROUP) : 0;
}

function multinomialSteps([logits, count]: readonly Tensor[]): number {
  const { shape } = logits as Tensor;
  if (shape.length !== 2) throw invalidArgument(`logits should be a matrix, got shape ${shapeText(shape)}`);
  if ((count as Tensor).shape.length > 0)
    throw invalidArgument(`num_samples should be a scalar, got shape ${shapeText((count as Tensor).shape)}`);
  const samples = firstIndex(count as Tensor);
  if (samples < 0) throw invalidArgument(`num_samples should be nonnegative, got ${samples}`);
  return 2 * Math.ceil(samples / GROUP) * GROUP * (shape[0] as number) * RESERVED_PER_NUMBER;
}

const floats = { dtype: FLOATS };
const shaped = ([shape]: readonly Tensor[]) => reserved(shape as Tensor);

const ops: readonly RandomOp[] = [
  { op: 'RandomUniform', types: floats, steps: shaped },
  { op: 'RandomStandardNormal', types: floats, steps: shaped },
  { op: 'TruncatedNormal', types: floats, steps: shaped },
  { op: 'RandomUniformInt', types: { Tout: INDICES }, steps: uniformIntSteps },
  { op: 'RandomShuffle', steps: shuffleSteps },
  { op: 'Multinomial', types: { T: FLOATS, output_dtype: INDICES }, steps: multinomialSteps },
];

export const randomKernels: readonly StatefulKernelSpec[] = ops.map(randomKernel);
