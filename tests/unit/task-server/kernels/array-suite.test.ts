import type { KernelSpec, PureKernelSpec } from '../../../../task-server/engine/kernel.ts';
import { kernelSpecs } from '../../../../task-server/kernels/index.ts';
import { kernelSuite } from '../../../support/kernel-suite.ts';

const isPure = (spec: KernelSpec): spec is PureKernelSpec => spec.kind === 'pure';
const specs = new Map(kernelSpecs.filter(isPure).map((spec) => [spec.op, spec]));

kernelSuite(
  {
    backend: 'own',
    run({ op, inputs, attrs }) {
      const spec = specs.get(op);
      if (!spec) throw new TypeError(`No kernel for ${op}`);
      return spec.compute(inputs, attrs);
    },
  },
  { families: ['shape', 'constant', 'slice', 'gather', 'scatter', 'array', 'string'] },
);
