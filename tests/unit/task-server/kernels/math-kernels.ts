import type { PureKernelSpec } from '../../../../task-server/engine/kernel.ts';
import { broadcastArgsKernels } from '../../../../task-server/kernels/broadcast-args.ts';
import { castKernels } from '../../../../task-server/kernels/cast.ts';
import { compareKernels } from '../../../../task-server/kernels/compare.ts';
import { elementwiseBinaryKernels } from '../../../../task-server/kernels/elementwise-binary.ts';
import { elementwiseUnaryKernels } from '../../../../task-server/kernels/elementwise-unary.ts';
import { gradKernels } from '../../../../task-server/kernels/grad.ts';
import { logicKernels } from '../../../../task-server/kernels/logic.ts';
import { selectKernels } from '../../../../task-server/kernels/logic-select.ts';
import { matmulKernels } from '../../../../task-server/kernels/matmul.ts';
import { biasKernels } from '../../../../task-server/kernels/nn-bias.ts';
import { fusedMatmulKernels } from '../../../../task-server/kernels/nn-fused-matmul.ts';
import { oneHotKernels } from '../../../../task-server/kernels/nn-one-hot.ts';
import { softmaxKernels } from '../../../../task-server/kernels/nn-softmax.ts';
import { topKKernels } from '../../../../task-server/kernels/nn-top-k.ts';
import { numericKernels } from '../../../../task-server/kernels/numeric.ts';
import { reduceKernels } from '../../../../task-server/kernels/reduce.ts';
import { argKernels } from '../../../../task-server/kernels/reduce-arg.ts';
import { scanKernels } from '../../../../task-server/kernels/reduce-scan.ts';
import { sumKernels } from '../../../../task-server/kernels/reduce-sum.ts';

/** The kernels that compute with numbers: elementwise, reductions, products, gradients. */
export const mathKernels: readonly PureKernelSpec[] = [
  ...argKernels,
  ...biasKernels,
  ...broadcastArgsKernels,
  ...castKernels,
  ...compareKernels,
  ...elementwiseBinaryKernels,
  ...elementwiseUnaryKernels,
  ...fusedMatmulKernels,
  ...gradKernels,
  ...logicKernels,
  ...matmulKernels,
  ...numericKernels,
  ...oneHotKernels,
  ...reduceKernels,
  ...scanKernels,
  ...selectKernels,
  ...softmaxKernels,
  ...sumKernels,
  ...topKKernels,
];

export const mathFamilies = ['elementwise', 'compare', 'logic', 'cast', 'reduce', 'matmul', 'nn', 'grad', 'numeric'] as const;
