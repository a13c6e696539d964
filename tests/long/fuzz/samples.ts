import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { PushTensorRequestSchema } from '#proto/generated/lanflow/push_tensor_pb.ts';
import * as master from '#proto/generated/tensorflow/master_pb.ts';
import { RunOptions_TraceLevel } from '#proto/generated/tensorflow/run_options_pb.ts';
import * as worker from '#proto/generated/tensorflow/worker_pb.ts';
import { formatRendezvousKey } from '#proto/wire/rendezvous-key.ts';
import { toTensorProto } from '#proto/wire/tensor-codec.ts';
import { toTensor } from '../../../main/client/index.ts';
import type { RawClient } from '../support/raw-client.ts';
import { makeZoo, type Zoo } from './zoo.ts';

/** A valid call. */
export interface Sample<D extends DescMessage = DescMessage> {
  readonly path: string;
  readonly schema: D;
  readonly message: MessageShape<D>;
  /** May wait for something that never comes, when changed: only a deadline ends it then. */
  readonly mayPark?: boolean;
}

const MASTER = '/tensorflow.MasterService/';
const WORKER = '/tensorflow.WorkerService/';

/** Paths that our tasks answer with UNIMPLEMENTED, and one that is nobody's. */
export const unservedPaths: readonly string[] = [
  ...['PartialRunSetup', 'MakeCallable', 'RunCallable', 'ReleaseCallable'].map((name) => MASTER + name),
  ...['RecvBuf', 'Tracing', 'CompleteGroup', 'CompleteInstance', 'GetStepSequence'].map((name) => WORKER + name),
  '/tensorflow.WorkerService/Nothing',
  '/nobody.Service/Nothing',
];

function sample<D extends DescMessage>(path: string, schema: D, init: MessageInitShape<D>, mayPark = false): Sample<D> {
  return { path, schema, message: create(schema, init), mayPark };
}

async function made<D extends DescMessage>(client: RawClient, { path, schema, message }: Sample, response: D): Promise<MessageShape<D>> {
  const answer = await client.call(path, toBinary(schema, message), 10_000);
  if (answer.code !== 'OK') throw new Error(`${path} with a valid message: ${answer.code}: ${answer.message}`);
  return fromBinary(response, answer.bytes);
}

/** A session, and valid calls that use it; those that end something come last. */
export async function masterSamples(client: RawClient, devices: readonly [string, string]): Promise<Sample[]> {
  const zoo = makeZoo(devices);
  const createSession = sample(`${MASTER}CreateSession`, master.CreateSessionRequestSchema, createRequest(zoo));
  const { sessionHandle } = await made(client, createSession, master.CreateSessionResponseSchema);
  const addition = makeZoo(devices).graph.toDef();
  for (const node of addition.node) {
    node.name = `more/${node.name}`;
    node.input = node.input.map((input) => input.replace(/^\^?/, '$&more/'));
    delete node.attr['_class'];
  }
  const extend = { sessionHandle, graphDef: addition, currentGraphVersion: 0n };
  return [
    createSession,
    ...runRequests(zoo, sessionHandle).map((init) => sample(`${MASTER}RunStep`, master.RunStepRequestSchema, init, true)),
    sample(`${MASTER}ExtendSession`, master.ExtendSessionRequestSchema, extend),
    sample(`${MASTER}ListDevices`, master.ListDevicesRequestSchema, { sessionHandle }),
    sample(`${MASTER}Reset`, master.ResetRequestSchema, { container: ['zoo'] }),
    sample(`${MASTER}CloseSession`, master.CloseSessionRequestSchema, { sessionHandle }),
  ];
}

function createRequest({ graph }: Zoo): MessageInitShape<typeof master.CreateSessionRequestSchema> {
  return {
    graphDef: graph.toDef(),
    config: { deviceFilters: ['/job:l'], allowSoftPlacement: true, graphOptions: {} },
    target: 'grpc://x:1',
  };
}

/** A step for each fetch and target of the zoo, all of them at once at the end. */
export function runRequests(zoo: Zoo, sessionHandle: string): MessageInitShape<typeof master.RunStepRequestSchema>[] {
  const feed = [
    {
      name: zoo.x.name,
      tensor: toTensorProto(
        toTensor([
          [1, 2, 3],
          [4, 5, 6],
        ]),
      ),
    },
  ];
  const options = { traceLevel: RunOptions_TraceLevel.FULL_TRACE, outputPartitionGraphs: true, timeoutInMs: 1000n };
  const fetch = zoo.fetches.map(({ name }) => name);
  const target = zoo.targets.map(({ name }) => name);
  return [
    ...target.map((name) => ({ sessionHandle, feed, target: [name] })),
    ...fetch.map((name) => ({ sessionHandle, feed, fetch: [name], options, storeErrorsInResponseBody: true })),
    { sessionHandle, feed, fetch, target, options },
  ];
}

/** The same for the worker of a task: `partition` is the part of a step's graph that it runs. */
export async function workerSamples(client: RawClient, device: string, incarnation: bigint): Promise<Sample[]> {
  const sessionHandle = `fuzz_${Math.random()}`;
  const session = {
    sessionHandle,
    serverDef: { jobName: 'l', taskIndex: 0 },
    masterTask: '/job:l/replica:0/task:9',
    masterIncarnation: 5n,
  };
  const createSession = sample(`${WORKER}CreateWorkerSession`, worker.CreateWorkerSessionRequestSchema, session);
  await made(client, createSession, worker.CreateWorkerSessionResponseSchema);
  const zoo = makeZoo([device, device]);
  const feeds = zoo.graph.toDef();
  for (const node of feeds.node) node.device = device;
  const known = { sessionHandle, createWorkerSessionCalled: true };
  const register = sample(`${WORKER}RegisterGraph`, worker.RegisterGraphRequestSchema, { ...known, graphDef: feeds });
  const { graphHandle } = await made(client, register, worker.RegisterGraphResponseSchema);
  const key = formatRendezvousKey({
    sendDevice: device,
    sendIncarnation: incarnation,
    recvDevice: device,
    tensorName: 'x:0',
    frameId: 0n,
    iteration: 0n,
  });
  const send = [{ name: key, tensor: toTensorProto(toTensor([1, 2])) }];
  const runGraph = {
    ...known,
    graphHandle,
    stepId: 77n,
    send,
    recvKey: [key],
    execOpts: { recordTimeline: true },
    storeErrorsInResponseBody: true,
  };
  return [
    createSession,
    register,
    sample(`${WORKER}RunGraph`, worker.RunGraphRequestSchema, runGraph, true),
    sample(`${WORKER}RecvTensor`, worker.RecvTensorRequestSchema, { stepId: 78n, rendezvousKey: key, requestId: 0n }, true),
    sample(`${WORKER}GetStatus`, worker.GetStatusRequestSchema, {}),
    sample(`${WORKER}Logging`, worker.LoggingRequestSchema, { enableRpcLogging: true, fetchStepId: [77n] }),
    sample(`${WORKER}MarkRecvFinished`, worker.MarkRecvFinishedRequestSchema, { requestId: 4n }),
    sample(`${WORKER}PushTensor`, PushTensorRequestSchema, {
      stepId: 79n,
      rendezvousKey: key,
      value: { tensor: toTensorProto(toTensor([1, 2])) },
    }),
    sample(`${WORKER}CleanupGraph`, worker.CleanupGraphRequestSchema, { stepId: 77n }),
    sample(`${WORKER}CleanupAll`, worker.CleanupAllRequestSchema, { container: ['zoo'] }),
    sample(`${WORKER}DeregisterGraph`, worker.DeregisterGraphRequestSchema, { ...known, graphHandle }),
    sample(`${WORKER}DeleteWorkerSession`, worker.DeleteWorkerSessionRequestSchema, { sessionHandle }),
  ];
}
