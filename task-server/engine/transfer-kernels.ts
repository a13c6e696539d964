import type { Attrs } from '#proto/wire/attr.ts';
import { rendezvousKeyPrefix } from '#proto/wire/rendezvous-key.ts';
import type { Tensor } from '#proto/wire/tensor.ts';
import {
  DEAD,
  type KernelNode,
  type KernelSpec,
  type OpContext,
  type Output,
  type StatefulCompute,
  type StatefulKernelSpec,
} from './kernel.ts';
import type { Received } from './rendezvous.ts';

const SEND_OPS = ['_Send', '_HostSend', 'Send'];
const RECV_OPS = ['_Recv', '_HostRecv', 'Recv'];

export const transferOps: ReadonlySet<string> = new Set([...SEND_OPS, ...RECV_OPS]);

/** What the partitioner and the master put on edges between devices, and the names under which TensorFlow lets users do so. */
export const transferKernels: readonly KernelSpec[] = [
  ...SEND_OPS.map((op) => transferKernel(op, send)),
  ...RECV_OPS.map((op) => transferKernel(op, recv)),
];

/** Deadness crosses devices, so a transfer runs although an input is dead. */
function transferKernel(op: string, create: StatefulKernelSpec['create']): StatefulKernelSpec {
  return { kind: 'stateful', op, create, runsOnDeadInputs: true };
}

function send({ attrs }: KernelNode): StatefulCompute {
  const key = keyMaker(attrs);
  return (context, [tensor]) => {
    context.rendezvous.send(key(context), { tensor: tensor as Tensor, isDead: context.inputsDead });
    return [];
  };
}

function recv({ attrs }: KernelNode): StatefulCompute {
  const key = keyMaker(attrs);
  return (context) => {
    const received = context.rendezvous.recv(key(context));
    return received instanceof Promise ? received.then(outputs) : outputs(received);
  };
}

function outputs({ tensor, isDead }: Received): Output[] {
  return [isDead ? DEAD : tensor];
}

function keyMaker(attrs: Attrs): (context: OpContext) => string {
  const prefix = rendezvousKeyPrefix({
    sendDevice: attrs.text('send_device'),
    sendIncarnation: attrs.bigint('send_device_incarnation'),
    recvDevice: attrs.text('recv_device'),
    tensorName: attrs.text('tensor_name'),
  });
  const root = `${prefix}0:0`;
  return ({ frameId, iteration }) => (frameId === 0n ? root : `${prefix}${frameId}:${iteration}`);
}
