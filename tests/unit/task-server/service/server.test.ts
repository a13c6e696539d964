import { create } from '@bufbuild/protobuf';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ResetRequestSchema, ResetResponseSchema } from '#proto/generated/tensorflow/master_pb.ts';
import { Credentials } from '#proto/trust/credentials.ts';
import { secureDial } from '#proto/trust/dialler.ts';
import { Code, cancelled, invalidArgument, unavailable } from '#proto/wire/status.ts';
import { GrpcTransport } from '../../../../task-server/service/grpc-transport.ts';
import { createLog } from '../../../../task-server/service/log.ts';
import { Openings } from '../../../../task-server/service/openings.ts';
import { PeerLinks } from '../../../../task-server/service/peer-links.ts';
import { PeerTransport } from '../../../../task-server/service/peer-transport.ts';
import { joined, ropeOf } from '../../../../task-server/service/rope.ts';
import { type RunningServer, startServer } from '../../../../task-server/service/server.ts';
import { TaskClient } from '../../../../task-server/service/task-client.ts';
import { notServed, type UnaryMethod, unary } from '../../../../task-server/service/unary-method.ts';
import { makeTlsLab, type TlsLab, taskIdentity } from '../../../support/tls-lab.ts';

let lab: TlsLab;
let member: Credentials;

beforeAll(async () => {
  lab = await makeTlsLab();
  member = new Credentials(await lab.issue([taskIdentity('w', 0)]), () => undefined);
});
afterAll(() => lab.dispose());

const log = createLog({ write: () => undefined });
const TASK = '/job:w/replica:0/task:0';
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const SERVICE = 'test.Service';
const nothing = ropeOf(Buffer.alloc(0));
const bytes = (count: number) => ropeOf(Buffer.alloc(count, 7));

const echo: UnaryMethod = { name: 'Echo', handle: async (request) => ropeOf(request) };
const getStatus: UnaryMethod = { name: 'GetStatus', handle: async () => nothing };

function start(methods: readonly UnaryMethod[], port = 0): Promise<RunningServer> {
  const services = [{ name: SERVICE, methods: [getStatus, ...methods] }];
  const links = new PeerLinks({ cluster: [], ownTask: TASK, log });
  links.serve([getStatus, ...methods]);
  return startServer({ listen: '127.0.0.1', port, openings: new Openings(), credentials: member, services, links, log });
}

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

/** Every promise of the server holds on every way to it. */
describe.each([
  { way: 'gRPC', by: 'plain text' },
  { way: 'link', by: 'plain text' },
  { way: 'gRPC', by: 'TLS' },
  { way: 'link', by: 'TLS' },
])('over $way by $by:', ({ way, by }) => {
  async function serve(...methods: UnaryMethod[]): Promise<{ server: RunningServer; client: TaskClient }> {
    const server = await start(methods);
    closers.push(() => server.stop(unavailable('test is over')));
    return { server, client: await clientOf(server.port) };
  }

  function newClient(port: number): TaskClient {
    const address = `127.0.0.1:${port}`;
    const secure = () => (by === 'TLS' ? secureDial(member, { task: TASK }) : undefined);
    const cluster = [{ task: TASK, job: 'w', index: 0, address }];
    const links = new PeerLinks({ cluster, ownTask: '/job:w/replica:0/task:1', log, dialler: { secure } });
    const peer = { task: TASK, address, secure };
    const transport = way === 'link' ? new PeerTransport(peer, SERVICE, links) : new GrpcTransport(address, secure);
    const client = new TaskClient({ task: TASK, address }, SERVICE, transport);
    closers.push(() => {
      client.dispose();
      links.close();
    });
    return client;
  }

  async function clientOf(port: number): Promise<TaskClient> {
    const client = newClient(port);
    await client.call('GetStatus', nothing);
    expect(client.hasLink).toBe(way === 'link');
    return client;
  }

  describe('a served method', () => {
    it('gets and gives bytes, also more than 4 MB of them', async () => {
      const { client } = await serve(echo);
      const sent = bytes(9_000_000);
      const answer = await client.call('Echo', sent);
      expect(answer.equals(joined(sent))).toBe(true);
    });

    it('gives its errors with code and text', async () => {
      const { client } = await serve({ name: 'Fail', handle: () => Promise.reject(invalidArgument('bad\n\t [[{{node a}}]] 100%')) });
      await expect(client.call('Fail', nothing)).rejects.toMatchObject({
        code: Code.INVALID_ARGUMENT,
        message: expect.stringMatching(/^bad\n\t \[\[\{\{node a\}\}\]\] 100%\n/),
      });
    });

    it('survives a request that is no message', async () => {
      const schemas = { request: ResetRequestSchema, response: ResetResponseSchema };
      const { client } = await serve(unary('Reset', schemas, async () => create(ResetResponseSchema)));
      await expect(client.call('Reset', ropeOf(Buffer.from([0x0a, 0xff])))).rejects.toMatchObject({
        code: Code.INTERNAL,
        message: expect.stringContaining('Malformed tensorflow.ResetRequest'),
      });
      await client.call('Reset', nothing);
    });

    it('hears that its caller has cancelled', async () => {
      const { method, begun, reason } = blocker();
      const { client } = await serve(method);
      const controller = new AbortController();
      const call = client.call('Block', nothing, { signal: controller.signal });
      call.catch(() => undefined);
      await begun;
      controller.abort(cancelled('enough'));
      await expect(call).rejects.toMatchObject({ code: Code.CANCELLED, message: 'enough' });
      expect(await reason).toMatchObject({ code: Code.CANCELLED });
    });

    it('hears of a cancellation in the very tick in which the call was made', async () => {
      const { method, reason } = blocker();
      const { server, client } = await serve(method, echo);
      await client.call('Echo', nothing);
      const controller = new AbortController();
      const call = client.call('Block', nothing, { signal: controller.signal });
      controller.abort(cancelled('enough'));
      await expect(call).rejects.toMatchObject({ code: Code.CANCELLED });
      expect(await reason).toMatchObject({ code: Code.CANCELLED });
      await expect.poll(() => server.counts().calls).toBe(0);
    });

    it('hears that its caller has run out of time', async () => {
      const { method, reason } = blocker();
      const { client } = await serve(method);
      await expect(client.call('Block', nothing, { timeoutMs: 100 })).rejects.toMatchObject({ code: Code.DEADLINE_EXCEEDED });
      expect(await reason).toMatchObject({ code: Code.CANCELLED });
    });

    it('hears that its caller is gone', async () => {
      const { method, begun, reason } = blocker();
      const { server } = await serve(method);
      const other = await clientOf(server.port);
      other.call('Block', nothing).catch(() => undefined);
      await begun;
      other.dispose();
      expect(await reason).toMatchObject({ code: Code.CANCELLED });
    });
  });

  it('says which method which task does not serve', async () => {
    const { client } = await serve(notServed('RunCallable', TASK));
    await expect(client.call('RunCallable', nothing)).rejects.toMatchObject({
      code: Code.UNIMPLEMENTED,
      message: expect.stringContaining(`RunCallable is not served by ${TASK}`),
    });
  });

  it('counts the connections that are open', async () => {
    const { server, client } = await serve(echo);
    await client.call('Echo', nothing);
    expect(server.counts().connections).toBeGreaterThan(0);
    client.dispose();
    closers.pop()?.();
    await expect.poll(() => server.counts().connections).toBe(0);
  });

  it('says which port is taken', async () => {
    const { server } = await serve(echo);
    await expect(start([], server.port)).rejects.toMatchObject({
      code: Code.UNKNOWN,
      message: expect.stringMatching(new RegExp(`^Could not start gRPC server: .*${server.port} is already in use`)),
    });
  });

  describe('stopping', () => {
    it('ends running calls with its reason and frees the port at once', async () => {
      const { method, begun } = blocker();
      const { server, client } = await serve(method);
      const call = client.call('Block', nothing);
      call.catch(() => undefined);
      await begun;
      await server.stop(unavailable(`${TASK} is shutting down`));
      await expect(call).rejects.toMatchObject({ code: Code.UNAVAILABLE, message: expect.stringContaining(`${TASK} is shutting down`) });
      const again = await start([], server.port);
      await again.stop(unavailable('test is over'));
    });

    it('can be repeated on one port without a pause', async () => {
      const { server, client } = await serve(echo);
      await client.call('Echo', bytes(1));
      await server.stop(unavailable('first'));
      for (let round = 0; round < 10; round++) {
        const next = await start([echo], server.port);
        expect((await (await clientOf(server.port)).call('Echo', bytes(3))).length).toBe(3);
        await next.stop(unavailable('round is over'));
      }
    });
  });

  describe('a task that is not there', () => {
    it('is UNAVAILABLE at once, with the reason', async () => {
      const { server, client } = await serve(echo);
      await server.stop(unavailable('gone'));
      await expect(client.call('Echo', nothing)).rejects.toMatchObject({
        code: Code.UNAVAILABLE,
        message: expect.stringMatching(/failed to connect to \/job:w\/replica:0\/task:0 at 127\.0\.0\.1:\d+: Connection refused/),
      });
    });

    it('is waited for, and found when it comes up', async () => {
      const { server } = await serve(echo);
      await server.stop(unavailable('gone'));
      const reasons: string[] = [];
      const call = newClient(server.port).call('Echo', bytes(2), {
        waitForReady: true,
        onWait: ({ message }) => reasons.push(message),
      });
      while (reasons.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(reasons[0]).toContain('Connection refused');
      const again = await start([echo], server.port);
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
      expect((await client.call('Echo', bytes(1))).length).toBe(1);
    });
  });
});

it('a certificate that is replaced is shown from the next call on', async () => {
  const server = await start([echo]);
  closers.push(() => server.stop(unavailable('test is over')));
  const other = await makeTlsLab();
  closers.push(() => other.dispose());
  const address = `127.0.0.1:${server.port}`;
  let shown = new Credentials(other.user, () => undefined);
  const client = new TaskClient({ task: TASK, address }, SERVICE, new GrpcTransport(address, () => secureDial(shown, { task: TASK })));
  closers.push(() => client.dispose());
  await expect(client.call('Echo', bytes(1))).rejects.toMatchObject({
    code: Code.UNAVAILABLE,
    message: expect.stringContaining(`failed to connect to ${TASK} at ${address}: its certificate is of another lab`),
  });
  shown = new Credentials(lab.user, () => undefined);
  expect((await client.call('Echo', bytes(2))).length).toBe(2);
});

it('another task that answers at an address is refused', async () => {
  const server = await start([echo]);
  closers.push(() => server.stop(unavailable('test is over')));
  const address = `127.0.0.1:${server.port}`;
  const client = new TaskClient(
    { task: TASK, address },
    SERVICE,
    new GrpcTransport(address, () => secureDial(member, { task: '/job:ps/replica:0/task:0' })),
  );
  closers.push(() => client.dispose());
  await expect(client.call('Echo', bytes(1))).rejects.toMatchObject({
    code: Code.UNAVAILABLE,
    message: expect.stringContaining(`its certificate is for task ${TASK}, not for /job:ps/replica:0/task:0`),
  });
});
