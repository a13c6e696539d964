import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunStepRequest, RunStepRequestSchema, RunStepResponseSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { toTensorProto } from '#proto/wire/tensor-codec.ts';
import { Graph, Session, toNumber, toTensor, type WaitReport } from '../../../../main/client/index.ts';
import { methods } from '../../../../main/client/session/master-methods.ts';

type Handler = (request: RunStepRequest) => Parameters<typeof create<typeof RunStepResponseSchema>>[1];

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.forceShutdown();
});

/** A master that answers RunStep as told, and everything else with an empty message, after `calls` took note. */
async function fakeMaster(runStep: Handler, calls: string[] = []): Promise<string> {
  const server = new Server();
  servers.push(server);
  for (const method of Object.values(methods)) {
    const name = method.path.split('/').at(-1) ?? '';
    const definition = {
      path: method.path,
      requestStream: false,
      responseStream: false,
      requestDeserialize: (bytes: Buffer) => bytes,
      responseSerialize: (bytes: Buffer) => bytes,
      requestSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    };
    server.register(
      definition.path,
      (call: { request: Buffer }, done: (error: object | null, bytes?: Buffer) => void) => {
        calls.push(name);
        if (name !== 'RunStep')
          return done(
            null,
            Buffer.from(toBinary(method.response, create(method.response, name === 'CreateSession' ? { sessionHandle: 'h' } : {}))),
          );
        try {
          const response = create(RunStepResponseSchema, runStep(fromBinary(RunStepRequestSchema, call.request)));
          done(null, Buffer.from(toBinary(RunStepResponseSchema, response)));
        } catch (error) {
          done({ code: status.UNAVAILABLE, details: String(error) });
        }
      },
      definition.responseSerialize,
      definition.requestDeserialize,
      'unary',
    );
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return `grpc://127.0.0.1:${port}`;
}

const answer: Handler = ({ fetch }) => ({ tensor: fetch.map((name, i) => ({ name, tensor: toTensorProto(toTensor(i + 1)) })) });

describe('a session', () => {
  it('connects on first use, extends when the graph has grown, and closes', async () => {
    const calls: string[] = [];
    const g = new Graph();
    const a = g.constant(1);
    const session = new Session(await fakeMaster(answer, calls), { graph: g });
    expect(calls).toEqual([]);
    expect(toNumber(await session.run(a))).toBe(1);
    await session.run(a);
    await session.run(g.neg(a));
    await session.close();
    await session.close();
    expect(calls).toEqual(['CreateSession', 'RunStep', 'RunStep', 'ExtendSession', 'RunStep', 'CloseSession']);
    await expect(session.run(a)).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
  });

  it('asks for errors in the body and throws them with code and text', async () => {
    const g = new Graph();
    const target = await fakeMaster(({ storeErrorsInResponseBody }) => ({
      statusCode: storeErrorsInResponseBody ? 9 : 2,
      statusErrorMessage: 'Attempting to use uninitialized value w',
    }));
    const session = new Session(target, { graph: g });
    await expect(session.run(g.constant(1))).rejects.toMatchObject({
      codeName: 'FAILED_PRECONDITION',
      message: 'Attempting to use uninitialized value w',
    });
  });

  it('asks nobody for what is fed', async () => {
    const calls: string[] = [];
    const g = new Graph();
    const x = g.placeholder('float', []);
    const session = new Session(await fakeMaster(answer, calls), { graph: g });
    expect(toNumber(await session.run(x, { feeds: new Map([[x, 5]]) }))).toBe(5);
    expect(calls).toEqual([]);
  });

  it('notices an answer that lacks a tensor', async () => {
    const g = new Graph();
    const session = new Session(await fakeMaster(() => ({})), { graph: g });
    await expect(session.run(g.constant(1))).rejects.toMatchObject({ codeName: 'INTERNAL', message: expect.stringContaining("'Const:0'") });
  });

  it('says which master an unavailable call went to', async () => {
    const g = new Graph();
    const target = await fakeMaster(() => {
      throw new Error('gone');
    });
    const session = new Session(target, { graph: g });
    await expect(session.run(g.constant(1))).rejects.toMatchObject({
      codeName: 'UNAVAILABLE',
      message: expect.stringContaining(`RunStep on ${target.replace('grpc://', '')}`),
    });
  });

  it('goes past a proxy that the environment names', async () => {
    const names = ['http_proxy', 'grpc_proxy'] as const;
    for (const name of names) process.env[name] = 'http://127.0.0.1:9';
    try {
      const g = new Graph();
      const session = new Session(await fakeMaster(answer), { graph: g });
      expect(toNumber(await session.run(g.constant(1), { timeoutMs: 3000 }))).toBe(1);
    } finally {
      for (const name of names) delete process.env[name];
    }
  });
});

describe('a master that is not there', () => {
  it.each([
    ['grpc://127.0.0.1:1', 'connection refused'],
    ['grpc://no-such-host.invalid:2222', 'name not found'],
  ])('%s is reported within 5 s, and the wait ends at a signal', async (target, reason) => {
    const reports: WaitReport[] = [];
    const g = new Graph();
    const session = new Session(target, { graph: g, onWait: (report) => reports.push(report) });
    const stop = new AbortController();
    const running = session.run(g.constant(1), { signal: stop.signal });
    await expect
      .poll(() => reports[0], { timeout: 5000 })
      .toMatchObject({ address: target.replace('grpc://', ''), reason: expect.stringContaining(reason) });
    stop.abort();
    await expect(running).rejects.toMatchObject({ codeName: 'CANCELLED' });
    await session.close();
  });

  it('fails at the operation timeout', async () => {
    const g = new Graph();
    const session = new Session('grpc://127.0.0.1:1', { graph: g, operationTimeoutMs: 300 });
    await expect(session.run(g.constant(1))).rejects.toMatchObject({
      codeName: 'DEADLINE_EXCEEDED',
      message: expect.stringContaining('CreateSession on 127.0.0.1:1'),
    });
  });

  it('cannot have a target of another form', async () => {
    const g = new Graph();
    await expect(new Session('localhost:1', { graph: g }).run(g.constant(1))).rejects.toThrow('must have the form grpc://HOST:PORT');
  });
});
