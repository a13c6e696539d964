import type { BackendSpec } from './accelerated.ts';
import { matMulKernels, type Tfjs } from './tfjs.ts';

/** TensorFlow.js in plain JavaScript. No faster than our own code, so it is used only where it is asked for by name. */
export const tfjsCpu: BackendSpec<Tfjs> = {
  name: 'tfjs-cpu',
  package: '@tensorflow/tfjs-backend-cpu',
  kernels: matMulKernels,
  open: async () => {
    const tf = await import('@tensorflow/tfjs-core');
    // Without this the package prints a banner to standard output on first use.
    tf.enableProdMode();
    await import('@tensorflow/tfjs-backend-cpu');
    if (!(await tf.setBackend('cpu'))) throw new Error('the plain JavaScript backend could not be initialized');
    return tf;
  },
};
