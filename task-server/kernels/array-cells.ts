import { type DType, dtypeSize } from '#proto/wire/dtype.ts';
import { allocate, bytesOf, sizeOf, type Tensor } from '#proto/wire/tensor.ts';

/**
 * The elements of a tensor as things to move, whatever their type: each element is `width` neighbouring cells. Bits are
 * never interpreted, so NaN payloads survive, and loops meet four kinds of array only.
 */
export interface Cells {
  readonly cells: CellArray;
  readonly width: number;
}

export type CellArray = Uint8Array | Uint16Array | Int32Array | unknown[];

export function cellsOf(tensor: Tensor): Cells {
  const { data, dtype } = tensor;
  if (Array.isArray(data)) return { cells: data, width: 1 };
  const size = dtypeSize(dtype);
  const bytes = bytesOf(tensor);
  if (size === 1) return { cells: bytes, width: 1 };
  if (size === 2) return { cells: new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2), width: 1 };
  return { cells: new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4), width: size / 4 };
}

/** A new tensor (zeroed, empty strings) and its cells, to be filled before it is handed on. */
export function newCells(dtype: DType, shape: readonly number[]): Cells & { readonly tensor: Tensor } {
  const tensor: Tensor = { dtype, shape, data: allocate(dtype, sizeOf(shape)) };
  return { tensor, ...cellsOf(tensor) };
}

/** `count` neighbouring elements from one place to another. */
export function copyElements(from: Cells, start: number, to: Cells, at: number, count: number): void {
  copyRun(from.cells, start * from.width, to.cells, at * to.width, count * from.width);
}

const SHORT = 16;

export function copyRun(from: CellArray, start: number, to: CellArray, at: number, count: number): void {
  if (count >= SHORT && !Array.isArray(from) && !Array.isArray(to)) {
    to.set(from.subarray(start, start + count), at);
    return;
  }
  for (let i = 0; i < count; i++) to[at + i] = from[start + i] as number;
}

/** All elements become the first element of `value`. */
export function fillElements(to: Cells, value: Cells): void {
  const { cells, width } = to;
  if (width === 1) {
    if (Array.isArray(cells)) cells.fill(value.cells[0]);
    else cells.fill(value.cells[0] as number);
    return;
  }
  for (let i = 0; i < cells.length; i += width) for (let k = 0; k < width; k++) cells[i + k] = value.cells[k] as number;
}
