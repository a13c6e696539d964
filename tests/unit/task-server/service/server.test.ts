import { create } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it } from 'vitest';
import { GetStatusRequestSchema, GetStatusResponseSchema } from '#proto/generated/tensorflow/worker_pb.ts';
import { Code, cancelled, invalidArgument, unavailable } from '#proto/wire/status.ts';
import { createLog } from '../../../../task-server/service/log.ts';
import { type RunningServer, startServer } from '../../../../task-server/service/server.ts';
import { TaskClient } from '../../../../task-server/service/task-client.ts';
import { notServed, type UnaryMethod, unary } from '../../../../task-server/service/unary-method.ts';

const log = createLog({ write: () => undefined });
const TASK = '/job:w/replica:0/task:0';
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(...methods: UnaryMethod[]): Promise<{ server: RunningServer; client: TaskClient }> {
  const server = await startServer({ listen: '127.0.0.1', port: 0, allow: [], services: [{ name: 'test.Service', methods }], log });
  closers.push(() => server.stop(unavailable('test is over')));
  return { server, client: clientOf(server.port) };
}

function clientOf(port: number): TaskClient {
  const client = new TaskClient({ task: TASK, address: `127.0.0.1:${port}` }, 'test.Service');
  closers.push(() => client.dispose());
  return client;
}

const echo: UnaryMethod = { name: 'Echo', handle: async (request) => request };

/** Blocks until it is cancelled; `reason` then resolves to why. */
function blocker(): { method: UnaryMethod; begun: Promise<void>; reason: Promise<unknown> } {
  const events = new EventTarget();
  const begun = new Promise<void>((resolve) => events.addEventListener('begun', () => resolve()));
  let tell = (_: unknown): void => {};
  const reason = new Promise<unknown>((resolve) => {
    tell = resolve;
  });
  const method: UnaryMethod = {
    name: 'Block',
    handle: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        events.dispatchEvent(new Event('begun'));
        signal.addEventListener('abort', () => {
          tell(signal.reason);
          reject(signal.reason);
        });
      }),
  };
  return { method, begun, reason };
}

describe('a served method', () => {
  it('gets and gives bytes, also more than 4 MB of them', async () => {
    const { client } = await serve(echo);
    const bytes = Buffer.alloc(9_000_000, 7);
    const answer = await client.call('Echo', bytes);
    expect(answer.equals(bytes)).toBe(true);
  });

  it('gives its errors with code and text', async () => {
    const { client } = await serve({ name: 'Fail', handle: () => Promise.reject(invalidArgument('bad\n\t [[{{node a}}]] 100%')) });
    await expect(client.call('Fail', Buffer.alloc(0))).rejects.toMatchObject({
      code: Code.INVALID_ARGUMENT,
      message: expect.stringMatching(/^bad\n\t \[\[\{\{node a\}\}\]\] 100%\n/),
    });
  });

  it('survives a request that is no message', async () => {
    const schemas = { request: GetStatusRequestSchema, response: GetStatusResponseSchema };
    const { client } = await serve(unary('GetStatus', schemas, async () => create(GetStatusResponseSchema)));
    await expect(client.call('GetStatus', Buffer.from([0x0a, 0xff]))).rejects.toMatchObject({
      code: Code.INTERNAL,
      message: expect.stringContaining('Malformed tensorflow.GetStatusRequest'),
    });
    await client.call('GetStatus', Buffer.alloc(0));
  });

  it('hears that its caller has cancelled', async () => {
    const { method, begun, reason } = blocker();
    const { client } = await serve(method);
    const controller = new AbortController();
    const call = client.call('Block', Buffer.alloc(0), { signal: controller.signal });
    call.catch(() => undefined);
    await begun;
    controller.abort(cancelled('enough'));
    await expect(call).rejects.toMatchObject({ code: Code.CANCELLED, message: 'enough' });
    expect(await reason).toMatchObject({ code: Code.CANCELLED });
  });

  it('hears of a cancellation in the very tick in which the call was made', async () => {
    const { method, reason } = blocker();
    const { server, client } = await serve(method, echo);
    await client.call('Echo', Buffer.alloc(0));
    const controller = new AbortController();
    const call = client.call('Block', Buffer.alloc(0), { signal: controller.signal });
    controller.abort(cancelled('enough'));
    await expect(call).rejects.toMatchObject({ code: Code.CANCELLED });
    expect(await reason).toMatchObject({ code: Code.CANCELLED });
    await expect.poll(() => server.counts()).toEqual({ connections: 1, calls: 0 });
  });

  it('hears that its caller has run out of time', async () => {
    const { method, reason } = blocker();
    const { client } = await serve(method);
    await expect(client.call('Block', Buffer.alloc(0), { timeoutMs: 100 })).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED });
    expect(await reason).toMatchObject({ code: Code.CANCELLED });
  });

  it('hears that its caller is gone', async () => {
    const { method, begun, reason } = blocker();
    const { server } = await serve(method);
    const other = clientOf(server.port);
    other.call('Block', Buffer.alloc(0)).catch(() => undefined);
    await begun;
    other.dispose();
    expect(await reason).toMatchObject({ code: Code.CANCELLED });
  });
});

it('says which method which task does not serve', async () => {
  const { client } = await serve(notServed('RunCallable', TASK));
  await expect(client.call('RunCallable', Buffer.alloc(0))).rejects.toMatchObject({
    code: Code.UNIMPLEMENTED,
    message: expect.stringContaining(`RunCallable is not served by ${TASK}`),
  });
});

it('says which port is taken', async () => {
  const { server } = await serve(echo);
  await expect(startServer({ listen: '127.0.0.1', port: server.port, allow: [], services: [], log })).rejects.toMatchObject({
    code: Code.UNKNOWN,
    message: expect.stringMatching(new RegExp(`^Could not start gRPC server: .*${server.port} is already in use`)),
  });
});

describe('stopping', () => {
  it('ends running calls with its reason and frees the port at once', async () => {
    const { method, begun } = blocker();
    const { server, client } = await serve(method);
    const call = client.call('Block', Buffer.alloc(0));
    call.catch(() => undefined);
    await begun;
    await server.stop(unavailable(`${TASK} is shutting down`));
    await expect(call).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: expect.stringContaining(`${TASK} is shutting down`) });
    const again = await startServer({ listen: '127.0.0.1', port: server.port, allow: [], services: [], log });
    await again.stop(unavailable('test is over'));
  });

  it('can be repeated on one port without a pause', async () => {
    const { server, client } = await serve(echo);
    await client.call('Echo', Buffer.alloc(1));
    await server.stop(unavailable('first'));
    for (let round = 0; round < 10; round++) {
      const next = await startServer({
        listen: '127.0.0.1',
        port: server.port,
        allow: [],
        services: [{ name: 'test.Service', methods: [echo] }],
        log,
      });
      expect((await clientOf(server.port).call('Echo', Buffer.alloc(3))).length).toBe(3);
      await next.stop(unavailable('round is over'));
    }
  });
});

describe('a task that is not there', () => {
  it('is UNAVAILABLE at once, with the reason', async () => {
    const { server, client } = await serve(echo);
    await server.stop(unavailable('gone'));
    await expect(client.call('Echo', Buffer.alloc(0))).rejects.toMatchObject({
      code: Code.UNAVAILABLE,
      message: expect.stringMatching(/failed to connect to \/job:w\/replica:0\/task:0 at 127\.0\.0\.1:\d+: Connection refused/),
    });
  });

  it('is waited for, and found when it comes up', async () => {
    const { server } = await serve(echo);
    await server.stop(unavailable('gone'));
    const reasons: string[] = [];
    const call = clientOf(server.port).call('Echo', Buffer.alloc(2), {
      waitForReady: true,
      onWait: ({ message }) => reasons.push(message),
    });
    while (reasons.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reasons[0]).toContain('Connection refused');
    const again = await startServer({
      listen: '127.0.0.1',
      port: server.port,
      allow: [],
      services: [{ name: 'test.Service', methods: [echo] }],
      log,
    });
    closers.push(() => again.stop(unavailable('test is over')));
    expect((await call).length).toBe(2);
  });

  it('is never looked for through a proxy', async () => {
    const { client } = await serve(echo);
    const before = process.env['http_proxy'];
    process.env['http_proxy'] = 'http://127.0.0.1:9';
    closers.push(() => {
      if (before === undefined) delete process.env['http_proxy'];
      else process.env['http_proxy'] = before;
    });
    expect((await client.call('Echo', Buffer.alloc(1))).length).toBe(1);
  });
});
