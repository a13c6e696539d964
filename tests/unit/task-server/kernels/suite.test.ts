import { InlineComputer } from '../../../../task-server/engine/inline-computer.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { kernelSuite } from '../../../support/kernel-suite.ts';
import { mathFamilies, mathKernels } from './math-kernels.ts';

kernelSuite(new InlineComputer(new KernelRegistry(mathKernels)), { families: mathFamilies });
