import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CloseSessionRequestSchema,
  CreateSessionResponseSchema,
  RunStepRequestSchema,
  RunStepResponseSchema,
} from '#proto/generated/tensorflow/master_pb.ts';
import { GetStatusResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { codeName } from '#proto/wire/status.ts';
import { Graph, Session, toNumber } from '../../../main/client/index.ts';
import { type Cluster, startCluster } from '../../support/cluster.ts';
import { dialLink } from '../support/link-client.ts';
import { type Random, withSeed } from '../support/random.ts';
import { type Answer, type Caller, RawClient } from '../support/raw-client.ts';
import { mutateBytes, mutateMessage } from './mutate.ts';
import { masterSamples, runRequests, type Sample, unservedPaths, workerSamples } from './samples.ts';
import { makeZoo } from './zoo.ts';

const ROUNDS = 20;
const CALLS_PER_ROUND = 150;
/** Longer than any call may take that is not parked. */
const PATIENCE_MS = 5000;
/** Changed calls may wait for a value that nobody sends: only their deadline ends them. */
const PARKED_MS = 400;
const GET_STATUS = '/tensorflow.WorkerService/GetStatus';
const devices = ['/job:l/replica:0/task:0/device:CPU:0', '/job:l/replica:0/task:1/device:CPU:0'] as const;

let cluster: Cluster;
let client: RawClient;
/** Answers by code. */
const seen = new Map<string, number>();

beforeAll(async () => {
  cluster = await startCluster({ jobs: { l: 2 }, engine: 'bundled' });
  client = new RawClient(cluster.target('l', 0));
});

afterAll(async () => {
  client?.dispose();
  await cluster?.stop();
  console.log(`answers: ${[...seen].map(([code, count]) => `${code} ${count}`).join(', ')}`);
});

/** What an exception that no code foresaw looks like. */
const bugTexts =
  /Cannot (read|set|destructure|convert|mix|use|access)|is not (a function|iterable|defined|a constructor|an object)|Invalid array|call stack|\bundefined\b|\bNaN\b|Bad error number/;

/** Sends bytes and checks that the answer is a status that was meant. */
async function send({ path, mayPark = false }: Pick<Sample, 'path' | 'mayPark'>, bytes: Uint8Array, by: Caller = client): Promise<Answer> {
  const answer = await by.call(path, bytes, mayPark ? PARKED_MS : PATIENCE_MS);
  seen.set(answer.code, (seen.get(answer.code) ?? 0) + 1);
  const what = `${path} with ${Buffer.from(bytes).toString('base64').slice(0, 4000)}`;
  if (answer.code === 'UNAVAILABLE') throw new Error(`the task is gone after ${what}: ${answer.message}\n${logs()}`);
  if (answer.code === 'DEADLINE_EXCEEDED' && !mayPark) throw new Error(`no answer to ${what}`);
  if (bugTexts.test(answer.message)) throw new Error(`${answer.code}: ${answer.message}\nis the answer to ${what}`);
  if (answer.code === 'OK' && path.endsWith('/RunStep')) checkBody(answer.bytes, what);
  return answer;
}

function checkBody(bytes: Uint8Array, what: string): void {
  const { statusCode, statusErrorMessage } = fromBinary(RunStepResponseSchema, bytes);
  const code = `${codeName(statusCode)} in the body`;
  seen.set(code, (seen.get(code) ?? 0) + 1);
  if (bugTexts.test(statusErrorMessage)) throw new Error(`${statusErrorMessage}\nis the answer to ${what}`);
}

function logs(): string {
  return [0, 1].map((task) => cluster.process('l', task).stderr().slice(-2000)).join('\n');
}

async function expectHealth(): Promise<void> {
  expect((await client.call(GET_STATUS, new Uint8Array(0), PATIENCE_MS)).code).toBe('OK');
  const graph = new Graph();
  const there = graph.device(devices[1], () => graph.constant([1, 2, 3]));
  const sum = graph.device(devices[0], () => graph.reduceSum(there));
  const session = new Session(cluster.target('l', 0), { graph });
  expect(toNumber(await session.run(sum, { timeoutMs: PATIENCE_MS }))).toBe(6);
  await session.close();
  expect(logs()).not.toContain('bug:');
}

function mutated(random: Random, { schema, message }: Sample): Uint8Array {
  return random.chance(0.7) ? mutateMessage(random, schema, message) : mutateBytes(random, toBinary(schema, message));
}

describe('every call is answered with a status, and the task goes on serving', () => {
  it('random bytes on every path', () =>
    withSeed(async (random) => {
      const samples = [...(await masterSamples(client, devices)), ...(await workerSamples(client, devices[0], 1n))];
      const paths = [...new Set([...samples.map(({ path }) => path), ...unservedPaths])];
      for (const path of paths) {
        for (let count = 0; count < 60; count++) await send({ path, mayPark: true }, random.bytes(random.below(random.pick([4, 40, 400]))));
      }
      await expectHealth();
    }));

  it('valid messages to a master, changed', () =>
    withSeed(async (random) => {
      for (let round = 0; round < ROUNDS; round++) {
        const samples = await masterSamples(client, devices);
        const [ends, others] = [samples.slice(-2), samples.slice(0, -2)];
        for (let count = 0; count < CALLS_PER_ROUND; count++) {
          const sample = random.pick(others);
          const { code, bytes } = await send(sample, mutated(random, sample));
          if (code === 'OK' && sample.path.endsWith('/CreateSession')) await runAll(bytes);
        }
        for (const sample of ends) for (let count = 0; count < 5; count++) await send(sample, mutated(random, sample));
        await expectHealth();
      }
    }));

  it.each([
    { way: 'gRPC', dial: async (target: string) => new RawClient(target) },
    { way: 'the link', dial: dialLink },
  ])('valid messages to a worker over $way, changed', ({ dial }) =>
    withSeed(async (random) => {
      const caller = await dial(cluster.target('l', 0));
      for (let round = 0; round < ROUNDS; round++) {
        const samples = await workerSamples(client, devices[0], await incarnation());
        for (let count = 0; count < CALLS_PER_ROUND; count++) {
          const sample = random.pick(samples);
          await send(sample, mutated(random, sample), caller);
        }
        for (const sample of samples.slice(-4)) await send(sample, toBinary(sample.schema, sample.message), caller);
        await expectHealth();
      }
      caller.dispose();
    }),
  );
});

/** Runs what a changed graph has, and closes its session. */
async function runAll(response: Uint8Array): Promise<void> {
  const { sessionHandle } = fromBinary(CreateSessionResponseSchema, response);
  for (const init of runRequests(makeZoo(devices), sessionHandle)) {
    await send({ path: '/tensorflow.MasterService/RunStep', mayPark: true }, encoded(init));
  }
  const close = toBinary(CloseSessionRequestSchema, create(CloseSessionRequestSchema, { sessionHandle }));
  await send({ path: '/tensorflow.MasterService/CloseSession' }, close);
}

function encoded(init: MessageInitShape<typeof RunStepRequestSchema>): Uint8Array {
  return toBinary(RunStepRequestSchema, create(RunStepRequestSchema, init));
}

async function incarnation(): Promise<bigint> {
  const { bytes } = await client.call(GET_STATUS, new Uint8Array(0), PATIENCE_MS);
  return fromBinary(GetStatusResponseSchema, bytes).deviceAttributes[0]?.incarnation ?? 0n;
}
