import type { FloatArray } from './numeric-types.ts';

/** A matrix inside an array: element (row, column) is at `offset + row * rowStride + column * columnStride`. */
export interface Matrix<A> {
  readonly data: A;
  readonly offset: number;
  readonly rows: number;
  readonly columns: number;
  readonly rowStride: number;
  readonly columnStride: number;
}

/** Rows and columns of the tile that the innermost loop keeps in registers. */
const TILE = 4;
/** Rows whose panels stay in the second-level cache while all of `b` passes by. */
const BLOCK_ROWS = 64;
/** Products below this many multiplications are not worth packing. */
const SMALL = 4096;

/** `a` times `b` into `out` (row-major from `outOffset`), accumulated in double precision. `out` is zero before. */
export function multiplyFloats(a: Matrix<FloatArray>, b: Matrix<FloatArray>, out: FloatArray, outOffset: number): void {
  if (a.rows * a.columns * b.columns < SMALL || a.rows < TILE || b.columns < TILE) multiplyPlainly(a, b, out, outOffset);
  else multiplyTiles(a, b, out, outOffset);
}

function multiplyPlainly(a: Matrix<FloatArray>, b: Matrix<FloatArray>, out: FloatArray, outOffset: number): void {
  for (let row = 0, to = outOffset; row < a.rows; row++) {
    for (let column = 0; column < b.columns; column++, to++) {
      let sum = 0;
      let i = a.offset + row * a.rowStride;
      let j = b.offset + column * b.columnStride;
      for (let k = 0; k < a.columns; k++, i += a.columnStride, j += b.rowStride) sum += (a.data[i] as number) * (b.data[j] as number);
      out[to] = sum;
    }
  }
}

function multiplyTiles(a: Matrix<FloatArray>, b: Matrix<FloatArray>, out: FloatArray, outOffset: number): void {
  const depth = a.columns;
  const panelsOfA = packRows(a);
  const panelsOfB = packRows(transposed(b));
  const tile = new Float64Array(TILE * TILE);
  for (let block = 0; block < a.rows; block += BLOCK_ROWS) {
    const blockEnd = Math.min(block + BLOCK_ROWS, a.rows);
    for (let column = 0; column < b.columns; column += TILE) {
      for (let row = block; row < blockEnd; row += TILE) {
        multiplyTile(panelsOfA, row * depth, panelsOfB, column * depth, depth, tile);
        storeTile(tile, out, outOffset, { row, column, rows: a.rows, columns: b.columns });
      }
    }
  }
}

function transposed<A>(matrix: Matrix<A>): Matrix<A> {
  const { rows, columns, rowStride, columnStride } = matrix;
  return { ...matrix, rows: columns, columns: rows, rowStride: columnStride, columnStride: rowStride };
}

/** Panels of TILE rows, each stored column by column, the last filled up with zeros; converted to doubles once for all. */
function packRows({ data, offset, rows, columns, rowStride, columnStride }: Matrix<FloatArray>): Float64Array {
  const panels = Math.ceil(rows / TILE);
  const packed = new Float64Array(panels * TILE * columns);
  for (let row = 0; row < rows; row++) {
    let from = offset + row * rowStride;
    let to = (row - (row % TILE)) * columns + (row % TILE);
    for (let column = 0; column < columns; column++, from += columnStride, to += TILE) packed[to] = data[from] as number;
  }
  return packed;
}

function multiplyTile(a: Float64Array, aFrom: number, b: Float64Array, bFrom: number, depth: number, tile: Float64Array): void {
  let s00 = 0;
  let s01 = 0;
  let s02 = 0;
  let s03 = 0;
  let s10 = 0;
  let s11 = 0;
  let s12 = 0;
  let s13 = 0;
  let s20 = 0;
  let s21 = 0;
  let s22 = 0;
  let s23 = 0;
  let s30 = 0;
  let s31 = 0;
  let s32 = 0;
  let s33 = 0;
  for (let k = 0, i = aFrom, j = bFrom; k < depth; k++, i += TILE, j += TILE) {
    const b0 = b[j] as number;
    const b1 = b[j + 1] as number;
    const b2 = b[j + 2] as number;
    const b3 = b[j + 3] as number;
    const a0 = a[i] as number;
    s00 += a0 * b0;
    s01 += a0 * b1;
    s02 += a0 * b2;
    s03 += a0 * b3;
    const a1 = a[i + 1] as number;
    s10 += a1 * b0;
    s11 += a1 * b1;
    s12 += a1 * b2;
    s13 += a1 * b3;
    const a2 = a[i + 2] as number;
    s20 += a2 * b0;
    s21 += a2 * b1;
    s22 += a2 * b2;
    s23 += a2 * b3;
    const a3 = a[i + 3] as number;
    s30 += a3 * b0;
    s31 += a3 * b1;
    s32 += a3 * b2;
    s33 += a3 * b3;
  }
  tile.set([s00, s01, s02, s03, s10, s11, s12, s13, s20, s21, s22, s23, s30, s31, s32, s33]);
}

interface Place {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

function storeTile(tile: Float64Array, out: FloatArray, outOffset: number, { row, column, rows, columns }: Place): void {
  const height = Math.min(TILE, rows - row);
  const width = Math.min(TILE, columns - column);
  for (let r = 0; r < height; r++) {
    const to = outOffset + (row + r) * columns + column;
    for (let c = 0; c < width; c++) out[to + c] = tile[r * TILE + c] as number;
  }
}
