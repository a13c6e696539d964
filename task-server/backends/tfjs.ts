import type { Tensor as TfjsTensor } from '@tensorflow/tfjs-core';
import { isTensorOf, type Tensor, zeros } from '#proto/wire/tensor.ts';
import type { AcceleratedKernel } from './accelerated.ts';
import { type MatMul, matMulOps, readMatMul } from './mat-mul.ts';

/** The part of TensorFlow.js that all its packages share. Its engine exists once per thread, whatever backends are loaded. */
export type Tfjs = typeof import('@tensorflow/tfjs-core');

/** For all backends: each is better at products than plain code. Batches of different shapes are left out: the library mixes them up. */
export const matMulKernels: readonly AcceleratedKernel<Tfjs>[] = matMulOps.map((op) => ({
  op,
  accepts: (inputs, attrs) => areFloats(inputs) && haveSameBatch(inputs) && readMatMul(op, inputs, attrs) !== undefined,
  compute: (tf, inputs, attrs) => {
    const { transposeA, transposeB, shape } = readMatMul(op, inputs, attrs) as MatMul;
    const multiply = ([a, b]: readonly TfjsTensor[]) => tf.matMul(a as TfjsTensor, b as TfjsTensor, transposeA, transposeB);
    return [evaluate(tf, inputs, { shape, build: multiply })];
  },
}));

type Unary = (tf: Tfjs, x: TfjsTensor) => TfjsTensor;

const unaryOps: Readonly<Record<string, Unary>> = {
  Exp: (tf, x) => tf.exp(x),
  Log: (tf, x) => tf.log(x),
  Tanh: (tf, x) => tf.tanh(x),
  Sigmoid: (tf, x) => tf.sigmoid(x),
  Sqrt: (tf, x) => tf.sqrt(x),
  Softmax: (tf, x) => tf.softmax(x),
  LogSoftmax: (tf, x) => tf.logSoftmax(x),
};

/** For backends with TensorFlow's own native kernels, which use all cores or a card. */
export const unaryKernels: readonly AcceleratedKernel<Tfjs>[] = Object.entries(unaryOps).map(([op, apply]) => ({
  op,
  accepts: (inputs) => areFloats(inputs) && (inputs[0]?.shape.length ?? 0) > 0,
  compute: (tf, inputs) => {
    const shape = inputs[0]?.shape ?? [];
    return [evaluate(tf, inputs, { shape, build: ([x]) => apply(tf, x as TfjsTensor) })];
  },
}));

function areFloats(inputs: readonly Tensor[]): inputs is readonly Tensor<'float'>[] {
  return inputs.every((input) => isTensorOf(input, 'float') && input.data.length > 0);
}

function haveSameBatch([a, b]: readonly Tensor[]): boolean {
  return a?.shape.slice(0, -2).join() === b?.shape.slice(0, -2).join();
}

interface Expression {
  readonly shape: readonly number[];
  build(inputs: readonly TfjsTensor[]): TfjsTensor;
}

function evaluate(tf: Tfjs, inputs: readonly Tensor[], { shape, build }: Expression): Tensor {
  const output = zeros('float', shape);
  // The scope frees every tensor made within. It returns nothing, because results are searched for tensors one by one.
  tf.tidy(() => {
    const values = inputs.map((input) => tf.tensor(input.data as Float32Array, [...input.shape], 'float32'));
    output.data.set(build(values).dataSync<'float32'>());
  });
  return output;
}
