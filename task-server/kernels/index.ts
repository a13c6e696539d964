import { controlKernels } from '../engine/control-kernels.ts';
import type { KernelSpec } from '../engine/kernel.ts';
import { transferKernels } from '../engine/transfer-kernels.ts';
import { diagonalKernels } from './array-diagonal.ts';
import { joinKernels } from './array-join.ts';
import { orderKernels } from './array-order.ts';
import { padKernels } from './array-pad.ts';
import { partitionKernels } from './array-partition.ts';
import { repeatKernels } from './array-repeat.ts';
import { segmentKernels } from './array-segment.ts';
import { sequenceKernels } from './array-sequence.ts';
import { splitKernels } from './array-split.ts';
import { uniqueKernels } from './array-unique.ts';
import { whereKernels } from './array-where.ts';
import { broadcastArgsKernels } from './broadcast-args.ts';
import { castKernels } from './cast.ts';
import { compareKernels } from './compare.ts';
import { constantKernels } from './constant.ts';
import { assertKernels } from './control.ts';
import { elementwiseBinaryKernels } from './elementwise-binary.ts';
import { elementwiseUnaryKernels } from './elementwise-unary.ts';
import { gatherKernels } from './gather.ts';
import { gradKernels } from './grad.ts';
import { logicKernels } from './logic.ts';
import { selectKernels } from './logic-select.ts';
import { matmulKernels } from './matmul.ts';
import { biasKernels } from './nn-bias.ts';
import { fusedMatmulKernels } from './nn-fused-matmul.ts';
import { oneHotKernels } from './nn-one-hot.ts';
import { softmaxKernels } from './nn-softmax.ts';
import { topKKernels } from './nn-top-k.ts';
import { numericKernels } from './numeric.ts';
import { queueElementKernels } from './queue-elements.ts';
import { queueKernels } from './queue-kernels.ts';
import { randomKernels } from './random.ts';
import { randomFillKernels } from './random-fill.ts';
import { reduceKernels } from './reduce.ts';
import { argKernels } from './reduce-arg.ts';
import { scanKernels } from './reduce-scan.ts';
import { sumKernels } from './reduce-sum.ts';
import { scatterKernels } from './scatter.ts';
import { scatterNdKernels } from './scatter-nd.ts';
import { scatterUpdateKernels } from './scatter-update.ts';
import { shapeKernels } from './shape.ts';
import { shapeArithmeticKernels } from './shape-arithmetic.ts';
import { sliceKernels } from './slice.ts';
import { stridedSliceKernels } from './slice-strided.ts';
import { stringKernels } from './string.ts';
import { asStringKernels } from './string-as-string.ts';
import { trainingKernels } from './training.ts';
import { trainingUpdateKernels } from './training-update.ts';
import { refVariableKernels } from './variable-ref.ts';
import { resourceVariableKernels } from './variable-resource.ts';

/** Every kernel that a bundled task has. Where an op has several entries, the first that fits its types is taken. */
export const kernelSpecs: readonly KernelSpec[] = [
  ...transferKernels,
  ...controlKernels,
  ...diagonalKernels,
  ...joinKernels,
  ...orderKernels,
  ...padKernels,
  ...partitionKernels,
  ...repeatKernels,
  ...segmentKernels,
  ...sequenceKernels,
  ...splitKernels,
  ...uniqueKernels,
  ...whereKernels,
  ...broadcastArgsKernels,
  ...castKernels,
  ...compareKernels,
  ...constantKernels,
  ...assertKernels,
  ...elementwiseBinaryKernels,
  ...elementwiseUnaryKernels,
  ...gatherKernels,
  ...gradKernels,
  ...selectKernels,
  ...logicKernels,
  ...matmulKernels,
  ...biasKernels,
  ...fusedMatmulKernels,
  ...oneHotKernels,
  ...softmaxKernels,
  ...topKKernels,
  ...numericKernels,
  ...queueElementKernels,
  ...queueKernels,
  ...randomFillKernels,
  ...randomKernels,
  ...argKernels,
  ...scanKernels,
  ...sumKernels,
  ...reduceKernels,
  ...scatterNdKernels,
  ...scatterUpdateKernels,
  ...scatterKernels,
  ...shapeArithmeticKernels,
  ...shapeKernels,
  ...stridedSliceKernels,
  ...sliceKernels,
  ...asStringKernels,
  ...stringKernels,
  ...trainingUpdateKernels,
  ...trainingKernels,
  ...refVariableKernels,
  ...resourceVariableKernels,
];
