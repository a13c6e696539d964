import { pathToFileURL } from 'node:url';
import type { BackendSpec } from './accelerated.ts';
import { findPackage } from './packages.ts';
import { matMulKernels, type Tfjs, unaryKernels } from './tfjs.ts';

/** TensorFlow's C library inside Node. Both packages are optional and have the same interface; `-gpu` needs CUDA. */
export const tfjsNode = tfjsNative('tfjs-node', '@tensorflow/tfjs-node');
export const tfjsNodeGpu = tfjsNative('tfjs-node-gpu', '@tensorflow/tfjs-node-gpu');

function tfjsNative(name: string, packageName: string): BackendSpec<Tfjs> {
  return {
    name,
    package: packageName,
    kernels: [...matMulKernels, ...unaryKernels],
    open: async () => {
      const file = findPackage(packageName);
      if (file === undefined) throw new Error(`${packageName} is not installed`);
      const tf: Tfjs = await import(pathToFileURL(file).href);
      await tf.ready();
      if (tf.getBackend() !== 'tensorflow') throw new Error(`${packageName} started backend '${tf.getBackend()}' instead of its own`);
      return tf;
    },
    usesGpu,
  };
}

/** Whether the library computes on a card rather than on the CPU. */
function usesGpu(tf: Tfjs): boolean {
  const backend = tf.backend();
  return 'isUsingGpuDevice' in backend && backend.isUsingGpuDevice === true;
}
