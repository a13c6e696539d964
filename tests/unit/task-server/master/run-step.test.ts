import { create } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CreateSessionRequestSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { RunOptions_TraceLevel, RunOptionsSchema } from '#proto/generated/tensorflow/run_options_pb.ts';
import { StepStatsSchema } from '#proto/generated/tensorflow/step_stats_pb.ts';
import { LoggingResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { aborted, Code, cancelled, invalidArgument, unavailable } from '#proto/wire/status.ts';
import { zeros } from '#proto/wire/tensor.ts';
import { createMaster } from '../../../../task-server/master/master.ts';
import type { RunStepCall } from '../../../../task-server/master/master-interface.ts';
import { type FakeCluster, failureOf, fakeCluster, PS0, untilCancelled, W0, W1 } from './fake-cluster.ts';
import { graphDef, type NodeSpec } from './graph-builder.ts';

/** On worker 0 (the master): x, here. On the ps: there = -x. On worker 1: far = -there, and a lone effect. */
const NODES: readonly NodeSpec[] = [
  { name: 'x', op: 'Placeholder', device: '/job:worker/task:0', attr: { dtype: 'float' } },
  { name: 'here', op: 'Neg', input: ['x'], device: '/job:worker/task:0', attr: { T: 'float' } },
  { name: 'there', op: 'Neg', input: ['x'], device: '/job:ps/task:0', attr: { T: 'float' } },
  { name: 'far', op: 'Neg', input: ['there'], device: '/job:worker/task:1', attr: { T: 'float' } },
  { name: 'effect', op: 'NoOp', device: '/job:worker/task:1' },
  { name: 'local_effect', op: 'NoOp', device: '/job:worker/task:0' },
  { name: 'ps_effect', op: 'NoOp', device: '/job:ps/task:0' },
];

async function session(cluster: FakeCluster = fakeCluster(), nodes = NODES) {
  const master = createMaster(cluster.env);
  const { sessionHandle } = await master.createSession(create(CreateSessionRequestSchema, { graphDef: graphDef(...nodes) }));
  const call = (step: Partial<RunStepCall>): RunStepCall => ({
    sessionHandle,
    feeds: [],
    fetches: [],
    targets: [],
    options: undefined,
    ...step,
  });
  const run = (step: Partial<RunStepCall>, signal?: AbortSignal) => master.runStep(call(step), signal ? { signal } : {});
  return { ...cluster, master, sessionHandle, run };
}

const feed = (name: string) => ({ name, tensor: zeros('float', []) });

const everywhere = { feeds: [feed('x:0')], fetches: ['far:0'] };

afterEach(() => vi.useRealTimers());

describe('a step', () => {
  it('on the master alone calls no other task', async () => {
    const { run, workers } = await session();
    const before = [...workers.ps.calls, ...workers.w1.calls];
    const { tensors } = await run({ feeds: [feed('x:0')], fetches: ['here:0'] });
    expect(tensors).toEqual([{ name: 'here:0', tensor: zeros('float', []) }]);
    expect([...workers.ps.calls, ...workers.w1.calls]).toEqual(before);
    expect([...workers.ps.cleaned, ...workers.w1.cleaned]).toEqual([]);
  });

  it('sends feeds and asks for fetches under keys of the client device, on its own task only', async () => {
    const { run, workers, sessionHandle } = await session();
    await run({ feeds: [feed('x:0')], fetches: ['far:0'] });
    const device = `${W0}/device:CPU:0`;
    const key = (name: string) => `${device};8000000000000005;${device};${name};0:0`;
    expect(workers.w0.runs).toMatchObject([
      { sessionHandle, createWorkerSessionCalled: true, send: [{ key: key('x:0') }], recvKeys: [key('far:0')] },
    ]);
    expect(workers.ps.runs).toMatchObject([{ send: [], recvKeys: [], stepId: workers.w0.runs[0]?.stepId }]);
    expect(workers.w1.runs).toMatchObject([{ send: [], recvKeys: [], graphHandle: `${W1}#0` }]);
    expect(workers.ps.runs[0]?.requestId).not.toBe(0n);
  });

  it('registers the pruned partitions once, whatever the order of feeds, fetches and targets', async () => {
    const { run, workers } = await session();
    const step = { feeds: [feed('x:0')], fetches: ['here:0', 'there:0'], targets: ['local_effect', 'ps_effect'] };
    await Promise.all([run(step), run({ ...step, fetches: ['there:0', 'here:0'], targets: ['ps_effect', 'local_effect'] })]);
    await run(step);
    expect([workers.w0, workers.ps, workers.w1].map((worker) => worker.count('registerGraph'))).toEqual([1, 1, 0]);
    const [registered] = workers.ps.graphs.values();
    expect(registered?.node.map(({ op }) => op).sort()).toEqual(['Neg', 'NoOp', '_Recv', '_Send']);
    for (const node of registered?.node ?? []) expect(node.device).toBe(`${PS0}/device:CPU:0`);
  });

  it('gives every node that it adds a name of its own in the session', async () => {
    const { run, workers } = await session();
    await run({ feeds: [feed('x:0')], fetches: ['there:0'] });
    await run({ feeds: [feed('x:0')], fetches: ['far:0'] });
    const added = [...workers.ps.graphs.values()].flatMap(({ node }) => node.map(({ name }) => name)).filter((name) => /_S\d+$/.test(name));
    expect(new Set(added).size).toBe(added.length);
  });

  it('answers a fetch under the text that asked for it, also twice', async () => {
    const { run, workers } = await session();
    const { tensors } = await run({ feeds: [feed('x:0')], fetches: ['here:0', 'here:0', 'here'] });
    expect(tensors.map(({ name }) => name)).toEqual(['here:0', 'here:0', 'here']);
    expect(workers.w0.runs[0]?.recvKeys).toHaveLength(1);
  });

  it('does not keep a failed registration, nor what other tasks registered for it', async () => {
    const { run, workers } = await session();
    const register = workers.ps.registerGraph;
    workers.ps.registerGraph = async () => {
      throw aborted('Session handle is not found: 1');
    };
    const step = { targets: ['ps_effect', 'local_effect'] };
    expect(await failureOf(run(step))).toMatchObject({ code: Code.ABORTED, message: `From ${PS0}:\nSession handle is not found: 1` });
    expect([workers.w0.count('registerGraph'), workers.w0.count('deregisterGraph')]).toEqual([1, 1]);
    workers.ps.registerGraph = register;
    await run(step);
  });

  it.each<[string, Partial<RunStepCall>, number, string]>([
    ['nothing', {}, Code.INVALID_ARGUMENT, 'Must specify at least one target to fetch or execute.'],
    ['an unknown fetch', { fetches: ['nope:0'] }, Code.NOT_FOUND, 'FetchOutputs node nope:0: not found'],
    [
      'a tensor that it feeds twice',
      { feeds: [feed('x:0'), feed('x:0')], fetches: ['here:0'] },
      Code.INVALID_ARGUMENT,
      'Endpoint "x:0" fed more than once.',
    ],
  ])('that asks for %s is refused', async (_, step, code, message) => {
    const { run, workers } = await session();
    expect(await failureOf(run(step))).toMatchObject({ code, message });
    expect(workers.w0.count('registerGraph')).toBe(0);
  });

  it('of an unknown session is ABORTED', async () => {
    const { run } = await session();
    expect(await failureOf(run({ sessionHandle: '0123', targets: ['effect'] }))).toMatchObject({
      code: Code.ABORTED,
      message: 'Session 0123 is not found.',
    });
  });

  it('that fetches what no partition returned is INTERNAL', async () => {
    const { run, workers } = await session();
    workers.w0.runGraph = async () => ({ recv: [], partitionGraphs: [] });
    expect(await failureOf(run({ feeds: [feed('x:0')], fetches: ['here:0'] }))).toMatchObject({
      code: Code.INTERNAL,
      message: 'Worker did not return a value for fetch: here:0',
    });
  });
});

describe('a failing step', () => {
  it('cancels the other partitions at the first root error and reports it with its task', async () => {
    const { run, workers } = await session();
    workers.w0.runGraph = (_, options) => untilCancelled(options);
    workers.w1.runGraph = (_, options) => untilCancelled(options);
    workers.ps.runGraph = async () => {
      throw invalidArgument('Incompatible shapes: [2] vs. [3]\n\t [[{{node there}}]]');
    };
    expect(await failureOf(run(everywhere))).toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: `From ${PS0}:\nIncompatible shapes: [2] vs. [3]\n\t [[{{node there}}]]`,
    });
  });

  it('does not cancel partitions that hear of it by themselves', async () => {
    const { run, workers } = await session();
    let isCancelled = false;
    workers.w0.runGraph = async (_, options) => {
      options?.signal?.addEventListener('abort', () => (isCancelled = true));
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw aborted('[_Derived_]Step 1 cancelled.  Cancelling rendezvous.');
    };
    workers.ps.runGraph = async () => {
      throw invalidArgument('the cause');
    };
    expect(await failureOf(run(everywhere))).toMatchObject({ message: `From ${PS0}:\nthe cause` });
    expect(isCancelled).toBe(false);
  });

  it('reports the root error although consequences of it came first', async () => {
    const { run, workers } = await session();
    let derivedSeen = () => {};
    const derived = new Promise<void>((resolve) => (derivedSeen = resolve));
    workers.w0.runGraph = async () => {
      derivedSeen();
      throw aborted('[_Derived_]Step 1 cancelled.  Cancelling rendezvous.');
    };
    workers.ps.runGraph = async () => {
      await derived;
      throw invalidArgument('the cause');
    };
    expect(await failureOf(run(everywhere))).toMatchObject({ message: `From ${PS0}:\nthe cause` });
  });

  it('reports the task where the error arose, not one that passes it on', async () => {
    const { run, workers } = await session();
    workers.w0.runGraph = async () => {
      throw invalidArgument('the cause\n\t [[{{node far}}]]\nAdditional GRPC error information');
    };
    workers.w1.runGraph = async () => {
      throw invalidArgument('the cause\n\t [[{{node far}}]]');
    };
    expect(await failureOf(run(everywhere))).toMatchObject({ message: `From ${W1}:\nthe cause\n\t [[{{node far}}]]` });
  });

  it('does not wait for partitions that hang after a mere consequence, and shows no mark of it', async () => {
    vi.useFakeTimers();
    const { run, workers } = await session();
    workers.w0.runGraph = (_, options) => untilCancelled(options);
    workers.ps.runGraph = async () => {
      throw cancelled("[_Derived_]FIFOQueue 'q' is closed.");
    };
    const failure = failureOf(run(everywhere));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await failure).toMatchObject({ code: Code.CANCELLED, message: `From ${PS0}:\nFIFOQueue 'q' is closed.` });
    await vi.advanceTimersByTimeAsync(10);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('names the task that is gone, at once', async () => {
    const { run, workers } = await session();
    workers.w0.runGraph = (_, options) => untilCancelled(options);
    workers.ps.runGraph = async () => {
      throw unavailable('failed to connect: Connection refused');
    };
    expect(await failureOf(run(everywhere))).toMatchObject({
      code: Code.UNAVAILABLE,
      message: `From ${PS0}:\nfailed to connect: Connection refused`,
    });
  });

  it('is cleaned up on all its tasks, without delaying the answer or minding the outcome', async () => {
    const { run, workers } = await session();
    workers.w1.cleanupGraph = () => new Promise(() => {});
    workers.ps.runGraph = async () => {
      throw invalidArgument('the cause');
    };
    await failureOf(run(everywhere));
    expect(workers.w0.cleaned).toHaveLength(1);
    await vi.waitFor(() => expect(workers.ps.cleaned).toEqual(workers.w0.cleaned));
  });

  it('is cleaned up on other tasks at the latest with the next step', async () => {
    vi.useFakeTimers();
    const { run, workers } = await session();
    await run(everywhere);
    expect(workers.ps.cleaned).toEqual([]);
    await run({ targets: ['local_effect'] });
    expect(workers.ps.cleaned).toEqual([workers.ps.runs[0]?.stepId]);
  });
});

describe('a step whose tasks all take pushes', () => {
  async function pushingSession() {
    const made = await session();
    for (const worker of Object.values(made.workers)) worker.takesPushes = true;
    return made;
  }

  it('is told to push on every task', async () => {
    const { run, workers } = await pushingSession();
    await run(everywhere);
    for (const worker of Object.values(workers)) expect(worker.runs).toMatchObject([{ pushTensors: true }]);
  });

  it('is not when one task does not, or there is only one', async () => {
    const { run, workers } = await pushingSession();
    await run({ targets: ['ps_effect'] });
    workers.w1.takesPushes = false;
    await run(everywhere);
    expect(workers.ps.runs).toMatchObject([{ pushTensors: false }, { pushTensors: false }]);
  });

  it('leaves the log of transfers alone when it is traced', async () => {
    const { run, workers } = await pushingSession();
    await run({ ...everywhere, options: create(RunOptionsSchema, { traceLevel: RunOptions_TraceLevel.FULL_TRACE }) });
    expect(workers.ps.calls.filter((call) => call.startsWith('logging'))).toEqual([]);
  });
});

describe('a cancelled step', () => {
  it('ends with the reason of its client', async () => {
    const { run, workers } = await session();
    workers.ps.runGraph = (_, options) => untilCancelled(options);
    const client = new AbortController();
    const failure = failureOf(run({ targets: ['ps_effect', 'local_effect'] }, client.signal));
    await vi.waitFor(() => expect(workers.w0.runs).toHaveLength(1));
    client.abort(cancelled('the client went away'));
    expect(await failure).toMatchObject({ code: Code.CANCELLED, message: 'the client went away' });
  });

  it('ends CANCELLED also when the client gives no reason', async () => {
    const { run, workers } = await session();
    workers.w0.runGraph = (_, options) => untilCancelled(options);
    expect(await failureOf(run({ targets: ['local_effect'] }, AbortSignal.abort()))).toMatchObject({ code: Code.CANCELLED });
  });

  it('does not wait for a registration that hangs, nor spoil it for others', async () => {
    const { run, workers } = await session();
    let register = () => {};
    const registered = new Promise<void>((resolve) => (register = resolve));
    workers.ps.registerGraph = async () => {
      await registered;
      return 'late';
    };
    const client = new AbortController();
    const failure = failureOf(run({ targets: ['ps_effect'] }, client.signal));
    const other = run({ targets: ['ps_effect'] });
    client.abort(cancelled('the client went away'));
    expect(await failure).toMatchObject({ message: 'the client went away' });
    register();
    await other;
    expect(workers.ps.runs).toMatchObject([{ graphHandle: 'late' }]);
  });

  it('keeps the root error that it had before', async () => {
    const { run, workers } = await session();
    const client = new AbortController();
    workers.w0.runGraph = (_, options) => untilCancelled(options);
    workers.ps.runGraph = async () => {
      queueMicrotask(() => client.abort(cancelled('the client went away')));
      throw invalidArgument('the cause');
    };
    expect(await failureOf(run({ targets: ['ps_effect', 'local_effect'] }, client.signal))).toMatchObject({
      message: `From ${PS0}:\nthe cause`,
    });
  });
});

describe('a traced step', () => {
  const FULL = create(RunOptionsSchema, { traceLevel: RunOptions_TraceLevel.FULL_TRACE });

  it('gathers transfers first and then the nodes of each partition', async () => {
    const { run, workers } = await session();
    const stats = (device: string) => create(StepStatsSchema, { devStats: [{ device }] });
    workers.ps.logging = async ({ fetchStepId }) =>
      create(LoggingResponseSchema, { step: fetchStepId.map((stepId) => ({ stepId, stepStats: stats('transfers to ps') })) });
    for (const worker of [workers.w0, workers.ps]) {
      worker.runGraph = async ({ recordTimeline }) => ({
        recv: [],
        partitionGraphs: [],
        ...(recordTimeline && { stepStats: stats(worker.task) }),
      });
    }
    const { metadata } = await run({ targets: ['local_effect', 'ps_effect'], options: FULL });
    expect(metadata?.stepStats?.devStats.map(({ device }) => device)).toEqual(['transfers to ps', W0, PS0]);
    expect(workers.w0.calls.filter((call) => call.startsWith('logging'))).toEqual(['logging:on', 'logging:fetch', 'logging:off']);
  });

  it('tells when the master called the other tasks and when they answered', async () => {
    const { run } = await session();
    const before = BigInt(Date.now() - 1) * 1000n;
    const { metadata } = await run({ targets: ['local_effect', 'ps_effect'], options: FULL });
    expect(metadata?.stepCalls).toMatchObject({ master: W0, calls: [{ task: PS0 }] });
    const [{ sentMicros, answeredMicros } = { sentMicros: 0n, answeredMicros: 0n }] = metadata?.stepCalls?.calls ?? [];
    expect(sentMicros).toBeGreaterThan(before);
    expect(answeredMicros).toBeGreaterThanOrEqual(sentMicros);
  });

  it('that fails switches the logs off again', async () => {
    const { run, workers } = await session();
    workers.w0.runGraph = async () => {
      throw invalidArgument('the cause');
    };
    await failureOf(run({ targets: ['local_effect', 'ps_effect'], options: FULL }));
    expect(workers.w0.calls.filter((call) => call.startsWith('logging'))).toEqual(['logging:on', 'logging:off']);
  });

  it('of another level than FULL_TRACE asks for nothing', async () => {
    const { run, workers } = await session();
    const options = create(RunOptionsSchema, { traceLevel: RunOptions_TraceLevel.HARDWARE_TRACE });
    const { metadata } = await run({ targets: ['local_effect'], options });
    expect(metadata).toBeUndefined();
    expect(workers.w0.runs).toMatchObject([{ recordTimeline: false, recordPartitionGraphs: false }]);
    expect(workers.w0.calls.some((call) => call.startsWith('logging'))).toBe(false);
  });

  it('has the result although a task does not answer for its log', async () => {
    const { run, workers } = await session();
    workers.ps.logging = async () => {
      throw unavailable('gone');
    };
    const { tensors, metadata } = await run({ feeds: [feed('x:0')], fetches: ['there:0'], options: FULL });
    expect(tensors).toHaveLength(1);
    expect(metadata?.stepStats).toBeUndefined();
  });

  it('returns the partition graphs when asked for', async () => {
    const { run, workers } = await session();
    for (const worker of [workers.w0, workers.ps]) {
      worker.runGraph = async () => ({ recv: [], partitionGraphs: [...worker.graphs.values()] });
    }
    const { metadata } = await run({
      targets: ['ps_effect', 'local_effect'],
      options: create(RunOptionsSchema, { outputPartitionGraphs: true }),
    });
    expect(metadata?.partitionGraphs).toHaveLength(2);
    expect(metadata?.stepStats).toBeUndefined();
  });
});
