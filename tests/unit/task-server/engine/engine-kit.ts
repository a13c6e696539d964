import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { DeviceAttributesSchema } from '#proto/generated/tensorflow/device_attributes_pb.ts';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { type NodeDef, NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { type DType, dtypeNumber } from '#proto/wire/dtype.ts';
import { makeTensor, type Tensor } from '#proto/wire/tensor.ts';
import { controlKernels } from '../../../../task-server/engine/control-kernels.ts';
import type { Device } from '../../../../task-server/engine/device.ts';
import { compilePartition, type Executable } from '../../../../task-server/engine/executor.ts';
import { Graph } from '../../../../task-server/engine/graph.ts';
import { InlineComputer } from '../../../../task-server/engine/inline-computer.ts';
import type { KernelSpec, StatefulCompute, Value } from '../../../../task-server/engine/kernel.ts';
import { KernelCache } from '../../../../task-server/engine/kernel-cache.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { LocalRendezvous } from '../../../../task-server/engine/local-rendezvous.ts';
import { ResourceManager } from '../../../../task-server/engine/resource-manager.ts';
import type { StepContext } from '../../../../task-server/engine/step.ts';
import { transferKernels } from '../../../../task-server/engine/transfer-kernels.ts';
import { Variable, VariableRef } from '../../../../task-server/engine/variable.ts';

export const CPU0 = '/job:w/replica:0/task:0/device:CPU:0';

type AttrInit = MessageInitShape<typeof AttrValueSchema>;

export interface NodeInit {
  readonly inputs?: readonly string[];
  /** Type attrs by name; `T: 'float'` when none are given. */
  readonly types?: Readonly<Record<string, DType>>;
  readonly attrs?: Readonly<Record<string, AttrInit>>;
  readonly device?: string;
}

export function node(name: string, op: string, { inputs = [], types = { T: 'float' }, attrs = {}, device = CPU0 }: NodeInit = {}): NodeDef {
  const typeAttrs = Object.entries(types).map(([key, dtype]): [string, AttrInit] => [
    key,
    { value: { case: 'type', value: dtypeNumber(dtype) } },
  ]);
  return create(NodeDefSchema, { name, op, input: [...inputs], device, attr: { ...Object.fromEntries(typeAttrs), ...attrs } });
}

/** A source of a float whose kernel the test gives (`Placeholder` needs no value attr). */
export function source(name: string, inputs: readonly string[] = []): NodeDef {
  return node(name, 'Placeholder', { inputs, types: { dtype: 'float' } });
}

export function graphOf(...nodes: NodeDef[]): Graph {
  return Graph.fromDef(create(GraphDefSchema, { node: nodes }), { where: 'test' });
}

export function scalar(value: number): Tensor<'float'> {
  return makeTensor('float', [], Float32Array.of(value));
}

export function bool(value: boolean): Tensor<'bool'> {
  return makeTensor('bool', [], Uint8Array.of(value ? 1 : 0));
}

/** What the kernels of a test do, by node name: an Identity or a Placeholder of that name calls it. */
export type Behaviour = Readonly<Record<string, StatefulCompute>>;

/** Identities and Placeholders log their name as they run, then do what `behaviour` says (default: pass on, or 1). */
export function testKernels(log: string[], behaviour: Behaviour = {}): KernelSpec[] {
  const logged = (op: string, fallback: StatefulCompute): KernelSpec => ({
    kind: 'stateful',
    op,
    create: ({ name }) => {
      return (context, inputs) => {
        log.push(name);
        return (behaviour[name] ?? fallback)(context, inputs);
      };
    },
  });
  return [
    ...controlKernels,
    ...transferKernels,
    logged('Identity', (_, inputs) => inputs.slice(0, 1)),
    logged('Placeholder', () => [scalar(1)]),
    { kind: 'pure', op: 'AddV2', types: { T: ['float'] }, compute: ([a, b]) => [scalar(Number(a?.data[0]) + Number(b?.data[0]))] },
    variableKernel(),
    assignKernel(),
  ];
}

function variableKernel(): KernelSpec {
  return {
    kind: 'stateful',
    op: 'VariableV2',
    create: ({ name }) => {
      const ref = new VariableRef(new Variable('float'), name);
      return () => [ref];
    },
  };
}

function assignKernel(): KernelSpec {
  return {
    kind: 'stateful',
    op: 'Assign',
    create:
      () =>
      (_, [ref, value]: readonly Value[]) => {
        if (ref instanceof VariableRef && !(value instanceof VariableRef)) ref.variable.value = value;
        return ref ? [ref] : [];
      },
  };
}

export function testDevice(kernels: KernelRegistry, name = CPU0): Device {
  return {
    name,
    type: 'CPU',
    incarnation: 7n,
    attributes: create(DeviceAttributesSchema, { name }),
    resources: new ResourceManager('w'),
    computer: new InlineComputer(kernels),
  };
}

export function compile(graph: Graph, specs: readonly KernelSpec[], cache = new KernelCache()): Executable {
  const kernels = new KernelRegistry(specs);
  return compilePartition(graph, { device: testDevice(kernels), kernels, cache, yieldToEvents: setImmediate });
}

export function step(overrides: Partial<StepContext> = {}): StepContext {
  return { stepId: 1n, rendezvous: new LocalRendezvous(), signal: new AbortController().signal, ...overrides };
}
