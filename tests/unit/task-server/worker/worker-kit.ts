import { create } from '@bufbuild/protobuf';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import {
  type CreateWorkerSessionRequest,
  CreateWorkerSessionRequestSchema,
  RegisterGraphRequestSchema,
} from '#proto/generated/tensorflow/worker_pb.ts';
import type { KernelSpec } from '../../../../task-server/engine/kernel.ts';
import { KernelRegistry } from '../../../../task-server/engine/kernel-registry.ts';
import { RendezvousMgr } from '../../../../task-server/worker/rendezvous-mgr.ts';
import { TransferLog } from '../../../../task-server/worker/transfer-log.ts';
import { TransferRoutes } from '../../../../task-server/worker/transfer-routes.ts';
import { Worker } from '../../../../task-server/worker/worker.ts';
import type { RunGraphCall } from '../../../../task-server/worker/worker-interface.ts';
import { node, testDevice } from '../engine/engine-kit.ts';

export const TASK_0 = '/job:w/replica:0/task:0';
export const TASK_1 = '/job:w/replica:0/task:1';
export const cpu = (task: string, index = 0): string => `${task}/device:CPU:${index}`;

export interface TestWorker {
  readonly worker: Worker;
  readonly rendezvousMgr: RendezvousMgr;
}

/** Two tasks in one process that reach each other by function calls; task 0 has two devices. All incarnations are 7. */
export function twoWorkers(specs: readonly KernelSpec[]): [TestWorker, TestWorker] {
  const kernels = new KernelRegistry(specs);
  const all = new Map<string, TestWorker>();
  const make = (task: string, deviceNames: readonly string[]): TestWorker => {
    const transferLog = new TransferLog();
    const devices = deviceNames.map((name) => testDevice(kernels, name));
    const routes = new TransferRoutes(task, devices);
    const peers = (name: string) => all.get(name)?.worker;
    const rendezvousMgr = new RendezvousMgr({ task, transferLog, routes, peers, every: () => () => undefined });
    const worker = new Worker({ task, devices, kernels, rendezvousMgr, routes, transferLog, yieldToEvents: setImmediate });
    all.set(task, { worker, rendezvousMgr });
    return { worker, rendezvousMgr };
  };
  return [make(TASK_0, [cpu(TASK_0), cpu(TASK_0, 1)]), make(TASK_1, [cpu(TASK_1)])];
}

export function sessionRequest(sessionHandle: string, fields: Partial<CreateWorkerSessionRequest> = {}): CreateWorkerSessionRequest {
  const { masterTask = '', masterIncarnation = 0n, isolateSessionState = false } = fields;
  return create(CreateWorkerSessionRequestSchema, { sessionHandle, masterTask, masterIncarnation, isolateSessionState });
}

/** Makes the session if it is new, registers the nodes and resolves to the graph handle. */
export async function register(worker: Worker, sessionHandle: string, nodes: readonly NodeDef[]): Promise<string> {
  await worker.createWorkerSession(sessionRequest(sessionHandle));
  const graphDef = create(GraphDefSchema, { node: [...nodes] });
  return worker.registerGraph(create(RegisterGraphRequestSchema, { sessionHandle, graphDef, createWorkerSessionCalled: true }));
}

let requests = 0n;

export function runCall(sessionHandle: string, graphHandle: string, fields: Partial<RunGraphCall> = {}): RunGraphCall {
  return {
    sessionHandle,
    graphHandle,
    createWorkerSessionCalled: true,
    stepId: 1n,
    send: [],
    recvKeys: [],
    recordTimeline: false,
    recordPartitionGraphs: false,
    pushTensors: false,
    requestId: ++requests,
    ...fields,
  };
}

export interface TransferInit {
  readonly name: string;
  readonly input?: string;
  readonly from: string;
  readonly to: string;
}

/** The rendezvous key of a transfer of the tensor called `edge`. */
export function transferKey(from: string, to: string, edge = 'x:0'): string {
  return `${from};0000000000000007;${to};${edge};0:0`;
}

export function sendNode({ name, input = '', from, to }: TransferInit): NodeDef {
  return node(name, '_Send', { inputs: [input], device: from, types: { T: 'float' }, attrs: transferAttrs(from, to) });
}

export function recvNode({ name, from, to }: TransferInit): NodeDef {
  return node(name, '_Recv', { device: to, types: { tensor_type: 'float' }, attrs: transferAttrs(from, to) });
}

function transferAttrs(from: string, to: string) {
  const text = (value: string) => ({ value: { case: 's', value: new TextEncoder().encode(value) } }) as const;
  return {
    tensor_name: text('x:0'),
    send_device: text(from),
    recv_device: text(to),
    send_device_incarnation: { value: { case: 'i', value: 7n } },
    client_terminated: { value: { case: 'b', value: false } },
  } as const;
}
