import { afterEach, expect, it } from 'vitest';
import { unavailable } from '#proto/wire/status.ts';
import { createLog } from '../../../../task-server/service/log.ts';
import { Openings } from '../../../../task-server/service/openings.ts';
import { PeerLinks } from '../../../../task-server/service/peer-links.ts';
import { PeerTransport } from '../../../../task-server/service/peer-transport.ts';
import { ropeOf } from '../../../../task-server/service/rope.ts';
import { type RunningServer, startServer } from '../../../../task-server/service/server.ts';
import type { UnaryMethod } from '../../../../task-server/service/unary-method.ts';
import { freePorts } from '../../../support/task-ports.ts';

const A = '/job:w/replica:0/task:0';
const B = '/job:w/replica:0/task:1';
const SERVICE = 'test.Service';
const log = createLog({ write: () => undefined });
const nothing = ropeOf(Buffer.alloc(0));
const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Peer {
  readonly server: RunningServer;
  /** Undefined for one that is like a genuine TensorFlow server. */
  readonly links: PeerLinks | undefined;
}

/** Task A, which says who it is whenever it is asked. */
async function start(links: PeerLinks | undefined, port = 0): Promise<Peer> {
  const methods = ['GetStatus', 'Name'].map((name): UnaryMethod => ({ name, handle: async () => ropeOf(Buffer.from('A')) }));
  links?.serve(methods);
  const services = [{ name: SERVICE, methods }];
  const server = await startServer({ listen: '127.0.0.1', port, openings: new Openings(), services, links, log });
  closers.push(() => server.stop(unavailable('test is over')));
  return { server, links };
}

/** Task B's way to task A; A knows B at `ownAddress`. */
function transportTo(port: number, ownAddress = 'b:2'): { transport: PeerTransport; links: PeerLinks } {
  const address = `127.0.0.1:${port}`;
  const links = new PeerLinks({ cluster: clusterOf(address, ownAddress), ownTask: B, log });
  links.serve([{ name: 'Name', handle: async () => ropeOf(Buffer.from('B')) }]);
  const transport = new PeerTransport({ task: A, address }, SERVICE, links);
  closers.push(() => {
    transport.close();
    links.close();
  });
  return { transport, links };
}

function clusterOf(a: string, b: string) {
  return [
    { task: A, job: 'w', index: 0, address: a },
    { task: B, job: 'w', index: 1, address: b },
  ];
}

const ownLinks = () => new PeerLinks({ cluster: clusterOf('a:1', 'b:2'), ownTask: A, log });

async function call(transport: PeerTransport, method: string): Promise<string> {
  return (await transport.start(`/${SERVICE}/${method}`, nothing, {}).response).toString();
}

async function until(condition: () => boolean): Promise<void> {
  const end = Date.now() + 5000;
  while (!condition() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(condition()).toBe(true);
}

it('a peer without the link is called over gRPC', async () => {
  const { server } = await start(undefined);
  const { transport } = transportTo(server.port);
  expect(await call(transport, 'GetStatus')).toBe('A');
  expect(await call(transport, 'Name')).toBe('A');
  expect(transport.hasLink).toBe(false);
});

it('a peer that has it is called over it as soon as it has answered GetStatus', async () => {
  const { server } = await start(ownLinks());
  const { transport } = transportTo(server.port);
  await call(transport, 'GetStatus');
  expect(transport.hasLink).toBe(true);
  expect(await call(transport, 'Name')).toBe('A');
});

it('a peer that nobody has asked for its status is recognised all the same', async () => {
  const { server } = await start(ownLinks());
  const { transport } = transportTo(server.port);
  expect(await call(transport, 'Name')).toBe('A');
  await until(() => transport.hasLink);
});

it('a task that was dialled calls back over the same connection', async () => {
  const { server, links } = await start(ownLinks());
  const { transport } = transportTo(server.port);
  await call(transport, 'GetStatus');
  await until(() => links?.to(B) !== undefined);
  expect(String(await links?.to(B)?.call('Name', nothing, {}).response)).toBe('B');
});

it('a task at another address than the cluster gives it may call, but is not called back', async () => {
  const { server, links } = await start(ownLinks());
  const { transport } = transportTo(server.port, 'elsewhere:2');
  await call(transport, 'GetStatus');
  expect(await call(transport, 'Name')).toBe('A');
  expect(links?.to(B)).toBeUndefined();
});

it('a task that comes back as another engine is found out', async () => {
  const own = await start(ownLinks());
  const { port } = own.server;
  const { transport } = transportTo(port);
  await call(transport, 'GetStatus');
  await own.server.stop(unavailable('restart'));
  await until(() => !transport.hasLink);

  const genuine = await start(undefined, port);
  await call(transport, 'Name').catch(() => undefined);
  expect(await call(transport, 'GetStatus')).toBe('A');
  expect(transport.hasLink).toBe(false);
  await genuine.server.stop(unavailable('restart'));
  await expect(call(transport, 'Name')).rejects.toThrow();

  await start(ownLinks(), port);
  await until(() => {
    call(transport, 'Name').catch(() => undefined);
    return transport.hasLink;
  });
});

it('large messages take the link that their receiver has dialled', async () => {
  const [portA = 0, portB = 0] = await freePorts(2);
  const cluster = clusterOf(`127.0.0.1:${portA}`, `127.0.0.1:${portB}`);
  const a = new PeerLinks({ cluster, ownTask: A, log });
  const b = new PeerLinks({ cluster, ownTask: B, log });
  await start(a, portA);
  await start(b, portB);
  closers.push(
    () => a.close(),
    () => b.close(),
  );
  await b.dial(A);
  await b.to(A)?.call('Name', nothing, {}).response;
  expect(b.to(A, true)).toBe(b.to(A));
  await b.to(A)?.call('Name', ropeOf(Buffer.alloc(100_000)), {}).response;
  await until(() => b.to(A, true) !== b.to(A));
  expect(String(await b.to(A, true)?.call('Name', ropeOf(Buffer.alloc(100_000)), {}).response)).toBe('A');
});
