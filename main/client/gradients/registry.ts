import { arrayGradients } from './array-gradients.ts';
import { flowGradients } from './flow-gradients.ts';
import type { GradientTable } from './gradient-function.ts';
import { mathGradients } from './math-gradients.ts';
import { nnGradients } from './nn-gradients.ts';
import { reductionGradients } from './reduction-gradients.ts';

/** How gradients go back through each op. */
export const gradientTable: GradientTable = {
  ...mathGradients,
  ...reductionGradients,
  ...arrayGradients,
  ...nnGradients,
  ...flowGradients,
};

/** Ops that no gradient passes: their result does not change with small changes of the input, or is meant to be constant. */
export const notDifferentiable: ReadonlySet<string> = new Set(
  `All Any ArgMax ArgMin BroadcastGradientArgs Ceil ConcatOffset Const Equal Floor FloorDiv Greater GreaterEqual
  InvertPermutation IsFinite IsInf IsNan IsVariableInitialized Less LessEqual LogicalAnd LogicalNot LogicalOr NotEqual OneHot
  OnesLike Placeholder QueueDequeueManyV2 QueueDequeueUpToV2 QueueDequeueV2 RandomStandardNormal RandomUniform RandomUniformInt
  Range Rank Rint Round Shape ShapeN Sign Size StopGradient TruncatedNormal VarHandleOp VarIsInitializedOp VariableV2 Variable
  Where ZerosLike`.split(/\s+/),
);
