import { type Backend, type BackendOptions, createBackend } from './accelerated.ts';
import { onnxruntime } from './onnxruntime.ts';
import { findPackage } from './packages.ts';
import { tfjsCpu } from './tfjs-cpu.ts';
import { tfjsNode, tfjsNodeGpu } from './tfjs-node.ts';
import { tfjsWasm } from './tfjs-wasm.ts';

/** Best first. Ones that share TensorFlow.js' engine replace each other: the second is asked only when the first failed. */
export const cpuBackends: readonly string[] = [onnxruntime.name, tfjsNode.name, tfjsWasm.name];
export const gpuBackends: readonly string[] = [tfjsNodeGpu.name];

/** Every backend there is, loaded or not. */
function allBackends(options: BackendOptions): Backend[] {
  return [
    createBackend(tfjsNodeGpu, options),
    createBackend(onnxruntime, options),
    createBackend(tfjsNode, options),
    createBackend(tfjsWasm, options),
    createBackend(tfjsCpu, options),
  ];
}

/** Those of the names whose packages are installed, in the same order. Whether they work is known when a thread opens them. */
export function installedBackends(names: readonly string[], options: BackendOptions): Backend[] {
  const backends = new Map(allBackends(options).map((backend) => [backend.name, backend]));
  return names.flatMap((name) => backends.get(name) ?? []).filter((backend) => findPackage(backend.package) !== undefined);
}
