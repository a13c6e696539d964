import type { DType } from '#proto/wire/dtype.ts';
import { sizeOf, type Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { broadcastShape, commonShape, eachSpan } from './broadcast.ts';
import type { BigLoop, Loop, NumberLoop } from './elementwise-loops.ts';
import { numericTensor, numericType, type Round, roundTo, type WorkArray } from './numeric-types.ts';

/** An op on two tensors that broadcast, as its loops in each domain. A domain without a loop serves no type. */
export interface BinaryOp {
  readonly op: string;
  readonly types: readonly DType[];
  /** The loop for one float type; ops of more than one rounding step round in between. */
  readonly float?: (round: Round) => NumberLoop;
  readonly int?: NumberLoop;
  readonly bigint?: BigLoop;
  /** Throws for integer inputs that have no result. Called only when there are elements. */
  readonly checkIntegers?: (a: WorkArray, b: WorkArray) => void;
  /** Work per element, 1 for an addition. */
  readonly weight?: number;
}

export function binaryKernel(binary: BinaryOp): PureKernelSpec {
  const { op, types, weight = 1 } = binary;
  const loops = new Map(types.map((dtype) => [dtype, loopFor(binary, dtype)]));
  return {
    kind: 'pure',
    op,
    types: { T: types },
    cost: (inputs) => weight * broadcastSize(inputs),
    compute(inputs) {
      const [a, b] = inputs as readonly [Tensor, Tensor];
      const { dtype } = a;
      const { widen, create, domain } = numericType(dtype);
      const shape = broadcastShape(a.shape, b.shape);
      const out = create(sizeOf(shape));
      const x = widen(a);
      const y = widen(b);
      if (domain !== 'float' && out.length > 0) binary.checkIntegers?.(x, y);
      const loop = loops.get(dtype) as Loop<WorkArray>;
      eachSpan(a.shape, b.shape, shape, (span) => loop(x, y, out, span));
      return [numericTensor(dtype, shape, out)];
    },
  };
}

function loopFor({ float, int, bigint }: BinaryOp, dtype: DType): NumberLoop | BigLoop | undefined {
  return { float: float?.(roundTo(dtype)), int, bigint }[numericType(dtype).domain];
}

/** Elements of the result of a broadcast; 0 when the shapes do not fit, which the kernel will say. */
export function broadcastSize(inputs: readonly Tensor[]): number {
  const [a, b] = inputs as readonly [Tensor, Tensor];
  return sizeOf(commonShape(a.shape, b.shape) ?? [0]);
}
