import { internal, invalidArgument } from '#proto/wire/status.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { type BinaryOp, binaryKernel } from './elementwise.ts';
import {
  add,
  addBig,
  bigLoop,
  div,
  maximum,
  minimum,
  mul,
  mulBig,
  mulInt,
  type NumberLoop,
  numberLoop,
  sub,
  subBig,
} from './elementwise-loops.ts';
import { FLOATS, NUMBERS, type Round, SIGNED, type WorkArray } from './numeric-types.ts';

type Binary<T> = (x: T, y: T) => T;

const always = (loop: NumberLoop) => () => loop;
const plain = (f: Binary<number>) => always(numberLoop(f));
const rounding = (f: (round: Round) => Binary<number>) => (round: Round) => numberLoop(f(round));

function divisionByZero(_: WorkArray, divisor: WorkArray): void {
  if (hasZero(divisor)) throw invalidArgument('Integer division by zero');
}

/** TensorFlow reports the same for these two in other words. */
function unexpectedZero(_: WorkArray, divisor: WorkArray): void {
  if (hasZero(divisor)) throw internal('Unexpected error in binary operator (only integer div and mod should have errors)');
}

function negativeExponent(_: WorkArray, exponent: WorkArray): void {
  if (exponent.some((value: number | bigint) => value < 0)) throw invalidArgument('Integers to negative integer powers are not allowed');
}

function hasZero(values: WorkArray): boolean {
  return values.some((value: number | bigint) => value === 0 || value === 0n);
}

const truncatedDiv = { int: numberLoop((x, y) => Math.trunc(x / y)), bigint: bigLoop((x, y) => x / y) };
const truncatedMod = { int: numberLoop((x, y) => x % y), bigint: bigLoop((x, y) => x % y) };

const flooredDiv: Binary<bigint> = (x, y) => {
  const quotient = x / y;
  return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient;
};

/** The remainder takes the sign of the divisor. */
const flooredMod: Binary<number> = (x, y) => {
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
};

const flooredModBig: Binary<bigint> = (x, y) => {
  const rest = x % y;
  return rest !== 0n && rest < 0n !== y < 0n ? rest + y : rest;
};

function power(base: number, exponent: number): number {
  // C's pow(1, NaN) and pow(-1, ±inf) are 1, JavaScript's NaN.
  if (base === 1 || (base === -1 && Math.abs(exponent) === Number.POSITIVE_INFINITY)) return 1;
  return base ** exponent;
}

/** Square and multiply, wrapping at each step. */
function powerInt(base: number, exponent: number): number {
  let result = 1;
  for (let square = base, rest = exponent; rest > 0; rest >>= 1, square = Math.imul(square, square)) {
    if (rest & 1) result = Math.imul(result, square);
  }
  return result;
}

function powerBig(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = BigInt.asIntN(64, square * square)) {
    if (rest & 1n) result = BigInt.asIntN(64, result * square);
  }
  return result;
}

function largerBig(x: bigint, y: bigint): bigint {
  if (x > y) return x;
  return y;
}

function smallerBig(x: bigint, y: bigint): bigint {
  if (x < y) return x;
  return y;
}

const FLOAT_INT = ['float', 'double', 'int32', 'int64'] as const;

const ops: readonly BinaryOp[] = [
  { op: 'Add', types: [...FLOATS, ...SIGNED, 'uint8'], float: always(add), int: add, bigint: addBig },
  { op: 'AddV2', types: NUMBERS, float: always(add), int: add, bigint: addBig },
  { op: 'Sub', types: NUMBERS, float: always(sub), int: sub, bigint: subBig },
  { op: 'Mul', types: NUMBERS, float: always(mul), int: mulInt, bigint: mulBig },
  { op: 'Div', types: NUMBERS, float: always(div), ...truncatedDiv, checkIntegers: divisionByZero },
  { op: 'RealDiv', types: FLOATS, float: always(div) },
  { op: 'DivNoNan', types: FLOATS, float: plain((x, y) => (y === 0 ? 0 : x / y)) },
  { op: 'MulNoNan', types: FLOATS, float: plain((x, y) => (y === 0 ? 0 : x * y)) },
  {
    op: 'FloorDiv',
    types: NUMBERS,
    float: rounding((round) => (x, y) => Math.floor(round(x / y))),
    int: numberLoop((x, y) => Math.floor(x / y)),
    bigint: bigLoop(flooredDiv),
    checkIntegers: divisionByZero,
  },
  {
    op: 'FloorMod',
    types: NUMBERS,
    float: plain(flooredMod),
    int: numberLoop(flooredMod),
    bigint: bigLoop(flooredModBig),
    checkIntegers: divisionByZero,
  },
  { op: 'Mod', types: FLOAT_INT, float: plain((x, y) => x % y), ...truncatedMod, checkIntegers: divisionByZero },
  {
    op: 'TruncateDiv',
    types: NUMBERS,
    float: rounding((round) => (x, y) => Math.trunc(round(x / y))),
    ...truncatedDiv,
    checkIntegers: unexpectedZero,
  },
  { op: 'TruncateMod', types: FLOAT_INT, float: plain((x, y) => x % y), ...truncatedMod, checkIntegers: unexpectedZero },
  { op: 'Maximum', types: NUMBERS, float: always(maximum), int: maximum, bigint: bigLoop(largerBig) },
  { op: 'Minimum', types: NUMBERS, float: always(minimum), int: minimum, bigint: bigLoop(smallerBig) },
  {
    op: 'Pow',
    types: [...FLOATS, ...SIGNED],
    float: plain(power),
    int: numberLoop(powerInt),
    bigint: bigLoop(powerBig),
    checkIntegers: negativeExponent,
    weight: 20,
  },
  {
    op: 'SquaredDifference',
    types: [...FLOATS, 'int32', 'int64'],
    float: rounding((round) => (x, y) => round(x - y) ** 2),
    int: numberLoop((x, y) => Math.imul(x - y, x - y)),
    bigint: bigLoop((x, y) => (x - y) * (x - y)),
  },
  { op: 'Xdivy', types: FLOATS, float: plain((x, y) => (x === 0 ? x : x / y)) },
  { op: 'Xlogy', types: FLOATS, float: rounding((round) => (x, y) => (x === 0 ? x : x * round(Math.log(y)))), weight: 15 },
  { op: 'Xlog1py', types: FLOATS, float: rounding((round) => (x, y) => (x === 0 ? x : x * round(Math.log1p(y)))), weight: 15 },
  { op: 'Atan2', types: FLOATS, float: plain(Math.atan2), weight: 20 },
];

export const elementwiseBinaryKernels: readonly PureKernelSpec[] = ops.map(binaryKernel);
