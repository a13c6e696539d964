import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { AttrValueSchema } from '#proto/generated/tensorflow/attr_value_pb.ts';
import { type NodeDef, NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { type DType, dtypeNumber } from '#proto/wire/dtype.ts';

/** One value on its way from one device to another: what a _Send and its _Recv must agree on. */
export interface Transfer {
  /** Unique in the step between these two devices. */
  readonly tensorName: string;
  readonly sendDevice: string;
  readonly sendIncarnation: bigint;
  readonly recvDevice: string;
  readonly dtype: DType;
  /** True for feeds and fetches, whose other end is the master. */
  readonly clientTerminated?: boolean;
  /** Nodes of the original graph, for people who read partition graphs. */
  readonly source?: string;
  readonly consumer?: string;
}

export function sendNode(name: string, input: string, transfer: Transfer): NodeDef {
  const attr = { T: typeAttr(transfer.dtype), ...transferAttrs(transfer) };
  return create(NodeDefSchema, { name, op: '_Send', input: [input], device: transfer.sendDevice, attr });
}

export function recvNode(name: string, transfer: Transfer): NodeDef {
  const attr = { tensor_type: typeAttr(transfer.dtype), ...transferAttrs(transfer) };
  return create(NodeDefSchema, { name, op: '_Recv', device: transfer.recvDevice, attr });
}

/** An empty tensor that exists once `controlInput` has run: what a control edge sends to another device. */
export function constNode(name: string, controlInput: string, device: string): NodeDef {
  const value: AttrInit = { value: { case: 'tensor', value: { dtype: dtypeNumber('float'), tensorShape: { dim: [{ size: 0n }] } } } };
  return create(NodeDefSchema, { name, op: 'Const', input: [controlInput], device, attr: { dtype: typeAttr('float'), value } });
}

/** The node at the receiving end of a control edge that others wait for. */
export function identityNode(name: string, input: string, device: string): NodeDef {
  return create(NodeDefSchema, { name, op: 'Identity', input: [input], device, attr: { T: typeAttr('float') } });
}

type AttrInit = MessageInitShape<typeof AttrValueSchema>;

function transferAttrs(transfer: Transfer): Record<string, AttrInit> {
  const { source, consumer } = transfer;
  return {
    tensor_name: textAttr(transfer.tensorName),
    send_device: textAttr(transfer.sendDevice),
    // The wire has no unsigned attr.
    send_device_incarnation: { value: { case: 'i', value: BigInt.asIntN(64, transfer.sendIncarnation) } },
    recv_device: textAttr(transfer.recvDevice),
    client_terminated: { value: { case: 'b', value: transfer.clientTerminated ?? false } },
    ...(source === undefined ? {} : { _src: textAttr(source) }),
    ...(consumer === undefined ? {} : { _dst: textAttr(consumer) }),
  };
}

function textAttr(text: string): AttrInit {
  return { value: { case: 's', value: new TextEncoder().encode(text) } };
}

function typeAttr(dtype: DType): AttrInit {
  return { value: { case: 'type', value: dtypeNumber(dtype) } };
}
