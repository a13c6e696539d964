import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { RunStepRequestSchema, RunStepResponseSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { RunGraphRequestSchema, RunGraphResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { Code, failedPrecondition } from '#proto/wire/status.ts';
import { makeTensor } from '#proto/wire/tensor.ts';
import { fromTensorProto, toTensorProto } from '#proto/wire/tensor-codec.ts';
import type { MasterInterface, RunStepCall } from '../../../../task-server/master/master-interface.ts';
import { masterMethods } from '../../../../task-server/service/master-service.ts';
import { joined } from '../../../../task-server/service/rope.ts';
import type { UnaryMethod } from '../../../../task-server/service/unary-method.ts';
import { workerMethods } from '../../../../task-server/service/worker-service.ts';
import type { RunGraphCall, WorkerInterface } from '../../../../task-server/worker/worker-interface.ts';

const TASK = '/job:w/replica:0/task:0';
const one = makeTensor('float', [], new Float32Array([1]));
const call = { signal: new AbortController().signal };
const refusal = failedPrecondition('Attempting to use uninitialized value W\n\t [[{{node W/read}}]]');

function notCalled(): never {
  throw new Error('not part of this test');
}

function methodOf(methods: readonly UnaryMethod[], name: string): UnaryMethod {
  return methods.find((method) => method.name === name) ?? expect.unreachable(`no method ${name}`);
}

function masterWith(runStep: MasterInterface['runStep']): UnaryMethod {
  const master: MasterInterface = {
    runStep,
    createSession: notCalled,
    extendSession: notCalled,
    closeSession: notCalled,
    listDevices: notCalled,
    reset: notCalled,
  };
  return methodOf(masterMethods(master, TASK), 'RunStep');
}

function workerWith(runGraph: WorkerInterface['runGraph']): UnaryMethod {
  const worker: WorkerInterface = {
    task: TASK,
    isLocal: true,
    takesPushes: true,
    pushTensor: notCalled,
    runGraph,
    getStatus: notCalled,
    createWorkerSession: notCalled,
    deleteWorkerSession: notCalled,
    registerGraph: notCalled,
    deregisterGraph: notCalled,
    cleanupGraph: notCalled,
    cleanupAll: notCalled,
    recvTensor: notCalled,
    logging: notCalled,
  };
  return methodOf(workerMethods(worker), 'RunGraph');
}

const runStepBytes = (fields: MessageInitShape<typeof RunStepRequestSchema>) =>
  toBinary(RunStepRequestSchema, create(RunStepRequestSchema, fields));
const runGraphBytes = (fields: MessageInitShape<typeof RunGraphRequestSchema>) =>
  toBinary(RunGraphRequestSchema, create(RunGraphRequestSchema, fields));

describe('RunStep', () => {
  it('hands on what the client asks for, and gives back what it fetched under the same names', async () => {
    const calls: RunStepCall[] = [];
    const method = masterWith(async (each) => {
      calls.push(each);
      return { tensors: [{ name: 'y:0', tensor: one }], metadata: undefined };
    });
    const feed = [{ name: 'x:0', tensor: toTensorProto(one) }];
    const bytes = await method.handle(runStepBytes({ sessionHandle: 's', feed, fetch: ['y:0'], target: ['init'] }), call);
    expect(calls).toEqual([
      { sessionHandle: 's', feeds: [{ name: 'x:0', tensor: one }], fetches: ['y:0'], targets: ['init'], options: undefined },
    ]);
    const [fetched] = fromBinary(RunStepResponseSchema, joined(bytes)).tensor;
    expect(fetched?.name).toBe('y:0');
    expect(fetched?.tensor && fromTensorProto(fetched.tensor)).toEqual(one);
  });

  it('puts its error into the answer for clients that ask for that', async () => {
    const method = masterWith(() => Promise.reject(refusal));
    const bytes = await method.handle(runStepBytes({ storeErrorsInResponseBody: true }), call);
    expect(fromBinary(RunStepResponseSchema, joined(bytes))).toMatchObject({
      statusCode: Code.FAILED_PRECONDITION,
      statusErrorMessage: refusal.message,
    });
  });

  it('fails as a call for others', async () => {
    const method = masterWith(() => Promise.reject(refusal));
    await expect(method.handle(runStepBytes({}), call)).rejects.toBe(refusal);
  });

  it('refuses a feed that is no tensor', async () => {
    const method = masterWith(notCalled);
    const bytes = await method.handle(runStepBytes({ feed: [{ name: 'x:0' }], storeErrorsInResponseBody: true }), call);
    expect(fromBinary(RunStepResponseSchema, joined(bytes)).statusCode).toBe(Code.INVALID_ARGUMENT);
  });

  it('does not serve partial runs', async () => {
    const method = masterWith(notCalled);
    const bytes = await method.handle(runStepBytes({ partialRunHandle: '1', storeErrorsInResponseBody: true }), call);
    expect(fromBinary(RunStepResponseSchema, joined(bytes))).toMatchObject({
      statusCode: Code.UNIMPLEMENTED,
      statusErrorMessage: expect.stringContaining(TASK),
    });
  });
});

describe('RunGraph', () => {
  it('hands on feeds, fetches and what to record', async () => {
    const calls: RunGraphCall[] = [];
    const method = workerWith(async (each) => {
      calls.push(each);
      return { recv: [{ key: 'k2', tensor: one }], partitionGraphs: [] };
    });
    const bytes = await method.handle(
      runGraphBytes({
        sessionHandle: 's',
        createWorkerSessionCalled: true,
        graphHandle: 'g',
        stepId: 5n,
        send: [{ name: 'k1', tensor: toTensorProto(one) }],
        recvKey: ['k2'],
        execOpts: { recordTimeline: true },
        pushTensors: true,
        requestId: -3n,
      }),
      call,
    );
    expect(calls).toEqual([
      {
        sessionHandle: 's',
        createWorkerSessionCalled: true,
        graphHandle: 'g',
        stepId: 5n,
        send: [{ key: 'k1', tensor: one }],
        recvKeys: ['k2'],
        recordTimeline: true,
        recordPartitionGraphs: false,
        pushTensors: true,
        requestId: -3n,
      },
    ]);
    expect(fromBinary(RunGraphResponseSchema, joined(bytes)).recv.map(({ name }) => name)).toEqual(['k2']);
  });

  it('puts its error into the answer for masters that ask for that', async () => {
    const method = workerWith(() => Promise.reject(refusal));
    const bytes = await method.handle(runGraphBytes({ storeErrorsInResponseBody: true }), call);
    expect(fromBinary(RunGraphResponseSchema, joined(bytes))).toMatchObject({
      statusCode: Code.FAILED_PRECONDITION,
      statusErrorMessage: refusal.message,
    });
    await expect(method.handle(runGraphBytes({}), call)).rejects.toBe(refusal);
  });
});

it.each(['PartialRunSetup', 'MakeCallable', 'RunCallable', 'ReleaseCallable'])('%s is UNIMPLEMENTED', async (name) => {
  const master = { runStep: notCalled } as unknown as MasterInterface;
  await expect(methodOf(masterMethods(master, TASK), name).handle(new Uint8Array(0), call)).rejects.toMatchObject({
    code: Code.UNIMPLEMENTED,
    message: `${name} is not served by ${TASK}`,
  });
});
