import type { Attrs } from '#proto/wire/attr.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { cellsOf, copyElements, newCells } from './array-cells.ts';
import { positionText } from './array-index.ts';
import { sameShape } from './broadcast.ts';
import { indices } from './numeric-types.ts';

function dynamicPartition([data, partitions]: readonly Tensor[], attrs: Attrs): Tensor[] {
  const { dtype, shape } = data as Tensor;
  const chosen = partitions as Tensor;
  const count = attrs.int('num_partitions');
  const rank = chosen.shape.length;
  if (!sameShape(shape.slice(0, rank), chosen.shape)) {
    throw invalidArgument(
      `data.shape must start with partitions.shape, got data.shape = ${shapeText(shape)}, partitions.shape = ${shapeText(chosen.shape)}`,
    );
  }
  const targets = indices(chosen);
  const bad = targets.findIndex((target) => target < 0 || target >= count);
  if (bad >= 0) throw invalidArgument(`partitions${positionText(bad, chosen.shape)} = ${targets[bad]} is not in [0, ${count})`);
  const sizes = new Array<number>(count).fill(0);
  for (const target of targets) sizes[target] = (sizes[target] as number) + 1;
  const outputs = sizes.map((size) => newCells(dtype, [size, ...shape.slice(rank)]));
  const filled = new Array<number>(count).fill(0);
  const inner = sizeOf(shape.slice(rank));
  const from = cellsOf(data as Tensor);
  for (const [at, target] of targets.entries()) {
    const position = filled[target] as number;
    copyElements(from, at * inner, outputs[target] as ReturnType<typeof newCells>, position * inner, inner);
    filled[target] = position + 1;
  }
  return outputs.map(({ tensor }) => tensor);
}

function dynamicStitch(inputs: readonly Tensor[]): Tensor[] {
  const count = inputs.length / 2;
  const chosen = inputs.slice(0, count);
  const data = inputs.slice(count);
  const first = data[0] as Tensor;
  const slice = first.shape.slice((chosen[0] as Tensor).shape.length);
  for (let input = 0; input < count; input++) checkStitch(chosen, data, input, slice);
  const picks = chosen.map(indices);
  const size = picks.reduce((most, own) => own.reduce((top, pick) => Math.max(top, pick + 1), most), 0);
  const to = newCells(first.dtype, [size, ...slice]);
  const inner = sizeOf(slice);
  for (const [input, own] of picks.entries()) {
    const from = cellsOf(data[input] as Tensor);
    for (const [at, pick] of own.entries()) {
      if (pick < 0) throw invalidArgument(`indices[${at}] is out of range`);
      copyElements(from, at * inner, to, pick * inner, inner);
    }
  }
  return [to.tensor];
}

function checkStitch(chosen: readonly Tensor[], data: readonly Tensor[], input: number, slice: readonly number[]): void {
  const text = (tensors: readonly Tensor[], index: number) => shapeText((tensors[index] as Tensor).shape);
  const own = (chosen[input] as Tensor).shape;
  const { shape } = data[input] as Tensor;
  if (!sameShape(shape.slice(0, own.length), own)) {
    throw invalidArgument(
      `data[${input}].shape = ${text(data, input)} does not start with indices[${input}].shape = ${text(chosen, input)}`,
    );
  }
  if (sameShape(shape.slice(own.length), slice)) return;
  const rank = (chosen[0] as Tensor).shape.length;
  throw invalidArgument(
    `Need data[0].shape[${rank}:] = data[${input}].shape[${own.length}:], got data[0].shape = ${text(data, 0)}, ` +
      `data[${input}].shape = ${text(data, input)}, indices[0].shape = ${text(chosen, 0)}, indices[${input}].shape = ${text(chosen, input)}`,
  );
}

export const partitionKernels: readonly PureKernelSpec[] = [
  { kind: 'pure', op: 'DynamicPartition', compute: dynamicPartition },
  { kind: 'pure', op: 'DynamicStitch', compute: dynamicStitch },
  { kind: 'pure', op: 'ParallelDynamicStitch', compute: dynamicStitch },
];
