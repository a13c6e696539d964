import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Interfaces } from '#proto/discovery/interfaces.ts';
import { type MulticastEnv, MulticastLinks } from '#proto/discovery/multicast-links.ts';

class FakeSocket extends EventEmitter {
  readonly sent: unknown[] = [];
  failure: Error | null = null;
  isOpen = true;
  readonly options: Parameters<MulticastEnv['open']>[0];

  constructor(options: Parameters<MulticastEnv['open']>[0]) {
    super();
    this.options = options;
  }

  send(message: unknown, _to: unknown, done: (error?: Error | null) => void): void {
    this.sent.push(message);
    done(this.failure);
  }

  destroy(done?: () => void): void {
    this.isOpen = false;
    done?.();
  }
}

const eth = (address: string, mac = '02:00:00:00:00:01') =>
  [{ address, family: 'IPv4', internal: false, mac, cidr: `${address}/24` }] as const;

let interfaces: Interfaces;
let sockets: FakeSocket[];
let told: string[];
let links: MulticastLinks;

beforeEach(() => {
  vi.useFakeTimers();
  interfaces = {};
  sockets = [];
  told = [];
  const open: MulticastEnv['open'] = (options) => {
    const socket = new FakeSocket(options);
    sockets.push(socket);
    return socket;
  };
  links = new MulticastLinks(
    { open, interfaces: () => interfaces, isWindows: false },
    {
      onPacket: (_message, { name }, { address }) => told.push(`packet on ${name} from ${address}`),
      onOpen: ({ name }) => told.push(`open ${name}`),
      onClose: ({ name }) => told.push(`close ${name}`),
      onProblem: (problem) => told.push(problem),
    },
  );
});

afterEach(async () => {
  await links.close();
  vi.useRealTimers();
});

describe('multicast on networks that come and go', () => {
  it('waits for a network and takes it when it comes', () => {
    links.start();
    expect(told).toEqual(['no network']);
    interfaces = { eth0: eth('10.0.0.5') };
    vi.advanceTimersByTime(2000);
    sockets[0]?.emit('ready');
    expect(told).toEqual(['no network', 'none', 'open eth0']);
    expect(links.links.map(({ name }) => name)).toEqual(['eth0']);
  });

  it('replaces sockets of interfaces that changed, and hears packets once', () => {
    interfaces = { eth0: eth('10.0.0.5'), eth1: eth('10.0.1.5') };
    links.start();
    for (const socket of sockets) socket.emit('ready');
    for (const socket of sockets) socket.emit('packet', {}, { address: '10.0.1.9', port: 5353 });
    expect(told).toEqual(['open eth0', 'open eth1', 'packet on eth1 from 10.0.1.9']);
    interfaces = { eth0: eth('10.0.0.5', '02:00:00:00:00:02'), eth1: eth('10.0.1.5') };
    vi.advanceTimersByTime(2000);
    expect(sockets.map(({ isOpen }) => isOpen)).toEqual([false, true, true]);
    expect(told.at(-1)).toBe('close eth0');
  });

  it('says that the port is taken, and tries again', () => {
    interfaces = { eth0: eth('10.0.0.5') };
    links.start();
    sockets[0]?.emit('error', Object.assign(new Error('in use'), { code: 'EADDRINUSE' }));
    expect(told).toEqual(['close eth0', 'port taken']);
    vi.advanceTimersByTime(6000);
    expect(sockets).toHaveLength(1);
    vi.advanceTimersByTime(4000);
    sockets[1]?.emit('ready');
    expect(told.slice(2)).toEqual(['none', 'open eth0']);
  });

  it('outlives packets that cannot be read, and opens anew what cannot send', async () => {
    interfaces = { eth0: eth('10.0.0.5') };
    links.start();
    sockets[0]?.emit('ready');
    sockets[0]?.emit('warning', new Error('Cannot decode name (buffer overflow)'));
    expect(sockets[0]?.isOpen).toBe(true);
    const [link] = links.links;
    if (!link) throw new Error('A link is open');
    await links.send(link, { type: 'response' });
    expect(sockets[0]?.sent).toEqual([{ type: 'response', flags: 0x400 }]);
    Object.assign(sockets[0] ?? {}, { failure: new Error('ENETUNREACH') });
    await links.send(link, { type: 'query' });
    expect(sockets[0]?.isOpen).toBe(false);
    // Gone: nothing happens.
    await links.send(link, { type: 'query' });
  });

  it('opens all sockets anew after a sleep', () => {
    interfaces = { eth0: eth('10.0.0.5') };
    links.start();
    sockets[0]?.emit('ready');
    vi.setSystemTime(Date.now() + 3_600_000);
    vi.advanceTimersByTime(2000);
    expect(sockets.map(({ isOpen }) => isOpen)).toEqual([false, true]);
  });
});
