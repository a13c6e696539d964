import type { Attrs } from '#proto/wire/attr.ts';
import { unimplemented } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import { elementwiseUnaryKernels } from './elementwise-unary.ts';
import { matmulKernels } from './matmul.ts';
import { biasKernels } from './nn-bias.ts';

/** The ops that may follow the product, each with its own kernel. */
const followers: ReadonlyMap<string, PureKernelSpec> = new Map(
  [...biasKernels, ...elementwiseUnaryKernels]
    .filter(({ op }) => ['BiasAdd', 'Relu', 'Relu6', 'Elu', 'LeakyRelu', 'Tanh', 'Sigmoid'].includes(op))
    .map((spec) => [spec.op, spec]),
);

const [matMul] = matmulKernels as readonly [PureKernelSpec, ...PureKernelSpec[]];

/** The other op's kernel on this node's attrs; the fused node names the slope of LeakyRelu in its own way. */
function follow(op: string, inputs: readonly Tensor[], attrs: Attrs): Tensor[] {
  const spec = followers.get(op);
  if (!spec) {
    throw unimplemented(
      `_FusedMatMul with '${op}' is not served; turn the master's graph rewriting off (rewrite_options.disable_meta_optimizer)`,
    );
  }
  const slope = attrs.values['leakyrelu_alpha'];
  return spec.compute(inputs, op === 'LeakyRelu' && slope ? attrs.with({ alpha: slope }) : attrs);
}

/**
 * What a genuine master's graph rewriting makes of MatMul → BiasAdd → activation. `args` holds what the ops after the product
 * take besides it: one bias.
 */
const fusedMatMul: PureKernelSpec = {
  kind: 'pure',
  op: '_FusedMatMul',
  types: { T: ['float', 'half', 'bfloat16'] },
  ...(matMul.cost && { cost: matMul.cost }),
  compute([a, b, ...args], attrs) {
    let [value] = matMul.compute([a, b] as readonly Tensor[], attrs) as [Tensor];
    let used = 0;
    for (const op of attrs.texts('fused_ops')) {
      const more = op === 'BiasAdd' ? args.slice(used++, used) : [];
      [value] = follow(op, [value, ...more], attrs) as [Tensor];
    }
    return [value];
  },
};

export const fusedMatmulKernels: readonly PureKernelSpec[] = [fusedMatMul];
