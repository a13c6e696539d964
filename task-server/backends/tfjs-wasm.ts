import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { BackendSpec } from './accelerated.ts';
import { matMulKernels, type Tfjs } from './tfjs.ts';

const PACKAGE = '@tensorflow/tfjs-backend-wasm';

/** TensorFlow.js on WebAssembly with SIMD, one core. Runs wherever Node does; element by element it is no faster than our own code. */
export const tfjsWasm: BackendSpec<Tfjs> = {
  name: 'tfjs-wasm',
  package: PACKAGE,
  kernels: matMulKernels,
  open: async () => {
    const tf = await import('@tensorflow/tfjs-core');
    const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
    setWasmPaths(`${dirname(createRequire(import.meta.url).resolve(PACKAGE))}/`);
    if (!(await tf.setBackend('wasm'))) throw new Error('WebAssembly could not be initialized');
    return tf;
  },
};
