import type { DType } from '#proto/wire/dtype.ts';
import { invalidArgument } from '#proto/wire/status.ts';
import { allocate, type DataByType, makeTensor, type Tensor, type TypedArray } from '#proto/wire/tensor.ts';
import { toBfloat16Bits, toHalfBits } from './half.ts';

export type Scalar = number | bigint | boolean | string;

/**
 * What the library takes where a tensor is wanted: a scalar, nested arrays of scalars, a typed array (one dimension), or a
 * tensor with dtype and shape. Without a wanted dtype a number becomes float, a bigint int64, a boolean bool and a text
 * string; typed arrays and tensors keep their own type.
 */
export type Value = Scalar | TypedArray | Tensor | readonly Value[];

/** The dtype that a value has by itself; undefined for plain numbers, which take the type of what they meet. */
export function explicitDType(value: Value): DType | undefined {
  if (isTensor(value)) return value.dtype;
  if (isTypedArray(value)) return dtypeOfArray(value);
  if (Array.isArray(value)) return value.length === 0 ? undefined : explicitDType(value[0] as Value);
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : undefined;
}

/**
 * A value as a tensor of the given dtype, or of its own. Throws INVALID_ARGUMENT when a nested array is ragged or an element
 * does not fit: a fraction in an integer tensor, a number in a string tensor, a tensor of another dtype.
 */
export function toTensor(value: Value, dtype?: DType): Tensor {
  if (isTensor(value)) return checkDType(value, dtype);
  if (isTypedArray(value)) return fromTypedArray(value, dtype);
  const wanted = dtype ?? explicitDType(value) ?? 'float';
  const shape = shapeOf(value);
  const elements: Scalar[] = [];
  flatten(value, shape, 0, elements);
  return fill(wanted, shape, elements);
}

export function isTensor(value: unknown): value is Tensor {
  return typeof value === 'object' && value !== null && 'dtype' in value && 'shape' in value && 'data' in value;
}

/** The elements as nested arrays (a scalar by itself), strings decoded as UTF-8: for printing and comparing. */
export function toNested(tensor: Tensor): Value {
  const { shape, dtype } = tensor;
  if (dtype === 'complex64' || dtype === 'complex128') return toNested({ ...tensor, dtype: 'float', shape: [...shape, 2] } as Tensor);
  const elements = Array.from(tensor.data as ArrayLike<unknown>, (element) => readElement(element, dtype));
  const nest = (dims: readonly number[], from: number, to: number): Value => {
    const [first, ...rest] = dims;
    if (first === undefined) return elements[from] ?? 0;
    const stride = first === 0 ? 0 : (to - from) / first;
    return Array.from({ length: first }, (_, i) => nest(rest, from + i * stride, from + (i + 1) * stride));
  };
  return nest(shape, 0, elements.length);
}

/** The only element of a tensor as a number; INVALID_ARGUMENT for more elements or for types that are no numbers. */
export function toNumber(tensor: Tensor): number {
  const element = tensor.data[0];
  if (tensor.data.length !== 1 || (typeof element !== 'number' && typeof element !== 'bigint')) {
    throw invalidArgument(`A ${tensor.dtype} tensor of shape [${tensor.shape}] is not one number`);
  }
  return Number(element);
}

function readElement(element: unknown, dtype: DType): Scalar {
  if (dtype === 'string' && element instanceof Uint8Array) return new TextDecoder().decode(element);
  if (dtype === 'bool') return element === 1;
  return typeof element === 'number' || typeof element === 'bigint' ? element : String(element);
}

function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

function dtypeOfArray(array: TypedArray): DType {
  if (array instanceof Float32Array) return 'float';
  if (array instanceof Float64Array) return 'double';
  if (array instanceof Int32Array) return 'int32';
  if (array instanceof BigInt64Array) return 'int64';
  if (array instanceof Int16Array) return 'int16';
  if (array instanceof Int8Array) return 'int8';
  if (array instanceof Uint16Array) return 'uint16';
  if (array instanceof Uint32Array) return 'uint32';
  return array instanceof BigUint64Array ? 'uint64' : 'uint8';
}

function checkDType(tensor: Tensor, dtype: DType | undefined): Tensor {
  if (dtype === undefined || tensor.dtype === dtype) return tensor;
  throw invalidArgument(`A tensor of type ${dtype} is wanted, but one of type ${tensor.dtype} was given`);
}

function fromTypedArray(array: TypedArray, dtype: DType | undefined): Tensor {
  const own = dtypeOfArray(array);
  if (dtype === undefined || dtype === own) return makeTensor(own, [array.length], array as DataByType[typeof own]);
  return fill(dtype, [array.length], Array.from(array as ArrayLike<number | bigint>));
}

function shapeOf(value: Value): number[] {
  if (Array.isArray(value)) return [value.length, ...(value.length > 0 ? shapeOf(value[0] as Value) : [])];
  return isTypedArray(value) ? [value.length] : [];
}

function flatten(value: Value, shape: readonly number[], depth: number, into: Scalar[]): void {
  if (Array.isArray(value) || isTypedArray(value)) {
    if (value.length !== shape[depth]) throw invalidArgument('The parts of a nested array must all have the same length');
    for (const part of value as Iterable<Value>) flatten(part, shape, depth + 1, into);
  } else if (typeof value === 'object' || depth !== shape.length) {
    throw invalidArgument('A nested array must hold scalars at one depth; tensors are joined with stack or concat');
  } else {
    into.push(value as Scalar);
  }
}

function fill(dtype: DType, shape: readonly number[], elements: readonly Scalar[]): Tensor {
  const data = allocate(dtype, elements.length);
  const write = writers[dtype] ?? integer;
  const target = data as { [index: number]: number | bigint | Uint8Array };
  for (const [i, element] of elements.entries()) target[i] = write(element, dtype);
  return makeTensor(dtype, shape, data);
}

type Writer = (element: Scalar, dtype: DType) => number | bigint | Uint8Array;

const float: Writer = (element, dtype) => {
  if (typeof element !== 'number' && typeof element !== 'bigint') throw misfit(element, dtype);
  return Number(element);
};

const integer: Writer = (element, dtype) => {
  const number = float(element, dtype) as number;
  if (!Number.isInteger(number)) throw misfit(element, dtype);
  return number;
};

const bigInteger: Writer = (element, dtype) => (typeof element === 'bigint' ? element : BigInt(integer(element, dtype) as number));

const refuse: Writer = (element, dtype) => {
  throw misfit(element, dtype);
};

/** Types whose elements are not plain integers. */
const writers: Readonly<Partial<Record<DType, Writer>>> = {
  float,
  double: float,
  half: (element, dtype) => toHalfBits(float(element, dtype) as number),
  bfloat16: (element, dtype) => toBfloat16Bits(float(element, dtype) as number),
  int64: bigInteger,
  uint64: bigInteger,
  bool: (element, dtype) => {
    if (typeof element !== 'boolean' && element !== 0 && element !== 1) throw misfit(element, dtype);
    return Number(element);
  },
  string: (element, dtype) => {
    if (typeof element !== 'string') throw misfit(element, dtype);
    return new TextEncoder().encode(element);
  },
  complex64: refuse,
  complex128: refuse,
  resource: refuse,
  variant: refuse,
};

function misfit(element: Scalar, dtype: DType): Error {
  const hint = dtype.startsWith('complex') ? '; give a tensor with interleaved real and imaginary parts' : '';
  return invalidArgument(`${typeof element === 'string' ? `'${element}'` : element} is no value of type ${dtype}${hint}`);
}
