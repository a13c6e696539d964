import { internal, resourceExhausted, StatusError } from '#proto/wire/status.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import type { DeviceType, PureCall } from '../engine/device.ts';
import type { PureKernelSpec } from '../engine/kernel.ts';
import type { KernelRegistry } from '../engine/kernel-registry.ts';

/** The kernel of a pure call. NOT_FOUND when the device type has none; INTERNAL when it is no pure one. */
export function pureKernel(kernels: KernelRegistry, type: DeviceType, { op, attrs, node }: PureCall): PureKernelSpec {
  const spec = kernels.find(op, type, attrs);
  if (spec.kind === 'pure') return spec;
  throw internal(`Node '${node}' (op ${op}) has a kernel with state, which runs on the serving thread only`);
}

/** Runs a kernel on the thread at hand. Whatever it throws comes out as a StatusError. */
export function computeHere(spec: PureKernelSpec, call: PureCall): Tensor[] {
  try {
    return spec.compute(call.inputs, call.attrs);
  } catch (error) {
    throw computeError(error, call);
  }
}

/** JavaScript reports memory that it cannot have as a RangeError; these are V8's texts for it. */
const outOfMemory = /allocation failed|invalid (typed )?array (buffer )?length/i;

function computeError(error: unknown, { op, node }: PureCall): StatusError {
  if (error instanceof StatusError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError && outOfMemory.test(text)) {
    return resourceExhausted(`OOM when allocating the outputs of node '${node}' (op ${op}): ${text}`, { cause: error });
  }
  return internal(`The kernel of node '${node}' (op ${op}) failed: ${text}`, { cause: error });
}
