import type { Tensor } from '#proto/wire/tensor.ts';
import type { Device } from './device.ts';
import type { GraphNode } from './graph.ts';
import type { KernelSpec, StatefulCompute } from './kernel.ts';
import type { KernelCache } from './kernel-cache.ts';
import type { KernelRegistry } from './kernel-registry.ts';

export interface KernelEnv {
  readonly device: Device;
  readonly kernels: KernelRegistry;
  /** Of the session that the graph belongs to. */
  readonly cache: KernelCache;
}

/** A node's kernel in the one form that the executor calls. */
export interface BoundKernel {
  readonly compute: StatefulCompute;
  readonly runsOnDeadInputs: boolean;
}

export function bindKernel(node: GraphNode, env: KernelEnv): BoundKernel {
  const spec = env.kernels.find(node.def.name, env.device.type, node.attrs);
  return { compute: bind(spec, node, env), runsOnDeadInputs: spec.kind === 'stateful' && spec.runsOnDeadInputs === true };
}

function bind(spec: KernelSpec, node: GraphNode, { device, cache }: KernelEnv): StatefulCompute {
  const { name, attrs, def } = node;
  const op = def.name;
  if (spec.kind === 'pure') {
    const { computer } = device;
    // The executor has replaced references by values: the definition of an op with a pure kernel has no ref inputs.
    return (context, inputs) => computer.run({ op, attrs, inputs: inputs as readonly Tensor[], node: name }, context.signal);
  }
  const kernelNode = {
    name,
    op,
    attrs,
    inputTypes: node.inputTypes.map(({ dtype }) => dtype),
    outputTypes: node.outputTypes.map(({ dtype }) => dtype),
  };
  // A stateless op's kernel is the graph's own: rewritten graphs may use one name for different nodes.
  return def.isStateful ? cache.get(kernelNode, device, spec) : spec.create(kernelNode, device);
}
