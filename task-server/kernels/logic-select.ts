import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, shapeText, sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { broadcastIndices, commonShape, requireSameShape, sameShape } from './broadcast.ts';

type Shape = readonly number[];

/** Which element of each input an element of the result looks at; undefined for the one at the same place. */
interface Choice {
  readonly shape: Shape;
  readonly condition: Int32Array | undefined;
  readonly whenTrue: Int32Array | undefined;
  readonly whenFalse: Int32Array | undefined;
}

function select(condition: Tensor<'bool'>, then: Tensor, otherwise: Tensor, choice: Choice): Tensor {
  const { dtype } = then;
  const count = sizeOf(choice.shape);
  const out = allocate(dtype, count);
  const from = { condition: condition.data, whenTrue: units(then.data), whenFalse: units(otherwise.data) };
  copyChosen(units(out), from, choice, count);
  return { dtype, shape: choice.shape, data: out };
}

type Units = Uint8Array | Uint16Array | Uint32Array | unknown[];

/** Elements as plain units to copy, whatever their type: 1, 2 or 4 bytes each (wider elements are several), or objects. */
function units(data: Tensor['data']): Units {
  if (Array.isArray(data)) return data;
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT } = data;
  if (BYTES_PER_ELEMENT === 1) return new Uint8Array(buffer, byteOffset, byteLength);
  return BYTES_PER_ELEMENT === 2
    ? new Uint16Array(buffer, byteOffset, byteLength / 2)
    : new Uint32Array(buffer, byteOffset, byteLength / 4);
}

interface Sources {
  readonly condition: Uint8Array;
  readonly whenTrue: Units;
  readonly whenFalse: Units;
}

function copyChosen(out: Units, from: Sources, choice: Choice, count: number): void {
  const { condition, whenTrue, whenFalse } = from;
  const width = out.length / count;
  if (width === 1 && !choice.condition && !choice.whenTrue && !choice.whenFalse) {
    for (let i = 0; i < count; i++) out[i] = (condition[i] === 0 ? whenFalse[i] : whenTrue[i]) as number;
    return;
  }
  for (let i = 0; i < count; i++) {
    const chosen = condition[choice.condition ? (choice.condition[i] as number) : i] !== 0;
    const source = chosen ? whenTrue : whenFalse;
    const indices = chosen ? choice.whenTrue : choice.whenFalse;
    const start = (indices ? (indices[i] as number) : i) * width;
    for (let unit = 0; unit < width; unit++) out[i * width + unit] = source[start + unit] as number;
  }
}

const selectV2: PureKernelSpec = {
  kind: 'pure',
  op: 'SelectV2',
  cost: (inputs) => 2 * sizeOf(commonShapeOf(inputs) ?? [0]),
  compute(inputs) {
    const [condition, then, otherwise] = inputs as readonly [Tensor<'bool'>, Tensor, Tensor];
    const shape = commonShapeOf(inputs);
    if (!shape) {
      const [c, t, e] = inputs.map((input) => shapeText(input.shape));
      throw invalidArgument(`condition ${c}, then ${t}, and else ${e} must be broadcastable`);
    }
    return [
      select(condition, then, otherwise, {
        shape,
        condition: broadcastIndices(condition.shape, shape),
        whenTrue: broadcastIndices(then.shape, shape),
        whenFalse: broadcastIndices(otherwise.shape, shape),
      }),
    ];
  },
};

function commonShapeOf(inputs: readonly Tensor[]): Shape | undefined {
  return inputs.reduce<Shape | undefined>((shape, input) => shape && commonShape(shape, input.shape), []);
}

const selectV1: PureKernelSpec = {
  kind: 'pure',
  op: 'Select',
  compute(inputs, attrs) {
    const [condition, then, otherwise] = inputs as readonly [Tensor<'bool'>, Tensor, Tensor];
    if (!sameShape(then.shape, otherwise.shape)) {
      const shapes = `${shapeText(then.shape)} vs. ${shapeText(otherwise.shape)}`;
      throw invalidArgument(`'then' and 'else' must have the same size.  but received: ${shapes}`);
    }
    if (condition.shape.length === 0) return [condition.data[0] === 0 ? otherwise : then];
    const indices = conditionIndices(condition.shape, then.shape, attrs.node);
    return [select(condition, then, otherwise, { shape: then.shape, condition: indices, whenTrue: undefined, whenFalse: undefined })];
  },
};

/** A vector chooses whole rows of matrices and more; else condition and branches have one shape. */
function conditionIndices(condition: Shape, shape: Shape, node: string): Int32Array | undefined {
  if (condition.length === 1 && shape.length > 1) {
    if (condition[0] !== shape[0]) {
      throw invalidArgument(`Number of batches of 'then' must match size of 'cond', but saw: ${shape[0]} vs. ${condition[0]}`);
    }
    return broadcastIndices([...condition, ...shape.slice(1).map(() => 1)], shape);
  }
  requireSameShape(node, 'Select', [condition, shape]);
  return undefined;
}

export const selectKernels: readonly PureKernelSpec[] = [selectV1, selectV2];
