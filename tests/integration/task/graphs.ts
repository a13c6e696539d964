import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { dtypeNumber } from '#proto/wire/dtype.ts';
import { makeTensor, type Tensor } from '#proto/wire/tensor.ts';
import { toShapeProto, toTensorProto } from '#proto/wire/tensor-codec.ts';

type NodeInit = MessageInitShape<typeof NodeDefSchema>;
type AttrInit = MessageInitShape<typeof AttrValueSchema>;

const FLOAT: AttrInit = { value: { case: 'type', value: dtypeNumber('float') } };
const INT32: AttrInit = { value: { case: 'type', value: dtypeNumber('int32') } };

export function graphDef(...node: readonly NodeInit[]): GraphDef {
  return create(GraphDefSchema, { node: [...node], versions: { producer: 134 } });
}

export function scalar(value: number): Tensor {
  return makeTensor('float', [], Float32Array.of(value));
}

export function constant(name: string, tensor: Tensor, device = ''): NodeInit {
  const dtype: AttrInit = { value: { case: 'type', value: dtypeNumber(tensor.dtype) } };
  return { name, op: 'Const', device, attr: { dtype, value: { value: { case: 'tensor', value: toTensorProto(tensor) } } } };
}

export function placeholder(name: string, device = ''): NodeInit {
  return { name, op: 'Placeholder', device, attr: { dtype: FLOAT } };
}

/** A node with float inputs. */
export function floatOp(name: string, op: string, input: readonly string[], device = ''): NodeInit {
  return { name, op, input: [...input], device, attr: { T: FLOAT } };
}

/** The sum of all elements of a vector or matrix of floats; `axes` names an int32 constant. */
export function sum(name: string, input: string, axes: string, device = ''): NodeInit {
  return { name, op: 'Sum', input: [input, axes], device, attr: { T: FLOAT, Tidx: INT32 } };
}

/** A scalar float variable `name` and its initializer `name/Assign`, which sets it to 1. */
export function variable(name: string, device: string): NodeInit[] {
  const shape: AttrInit = { value: { case: 'shape', value: toShapeProto([]) } };
  return [
    { name, op: 'VariableV2', device, attr: { dtype: FLOAT, shape } },
    constant(`${name}/initial_value`, scalar(1), device),
    floatOp(`${name}/Assign`, 'Assign', [name, `${name}/initial_value`], device),
  ];
}

/** A queue of floats, and `name/dequeue`, which blocks while it is empty. */
export function emptyQueue(name: string, device: string): NodeInit[] {
  const types: AttrInit = { value: { case: 'list', value: { type: [dtypeNumber('float')] } } };
  const shared: AttrInit = { value: { case: 's', value: new TextEncoder().encode(name) } };
  return [
    { name, op: 'FIFOQueueV2', device, attr: { component_types: types, shared_name: shared } },
    { name: `${name}/dequeue`, op: 'QueueDequeueV2', input: [name], device, attr: { component_types: types } },
  ];
}
