import { EventEmitter } from 'node:events';
import openMulticast from 'multicast-dns';
import { describe, expect, it } from 'vitest';
import { type DnsMessage, LANFLOW_SERVICE, SSH_SERVICE } from '#proto/discovery/dns.ts';
import { MachineTable } from '../../../../../main/machines/discovery/machine-table.ts';
import { ServiceCache } from '../../../../../main/machines/discovery/service-cache.ts';
import { announcement, LAN } from './support/announcement.ts';

function learned(...messages: readonly DnsMessage[]): ServiceCache {
  const cache = new ServiceCache();
  for (const message of messages) cache.learn(message, 'eth0', 0);
  return cache;
}

describe('records that machines announce', () => {
  it('make services, also when they come in parts', () => {
    const { answers = [] } = announcement('pc1');
    const cache = learned(...answers.slice(0, -1).map((each) => ({ answers: [each] })));
    expect(cache.instances(LANFLOW_SERVICE)).toEqual([]);
    cache.learn({ additionals: answers.slice(-1) }, 'eth0', 50);
    expect(cache.instances(LANFLOW_SERVICE)).toMatchObject([
      { name: 'pc1._lanflow._tcp.local', port: 7450, addresses: ['10.0.0.9'], seenAt: 0 },
    ]);
  });

  it('are asked for as long as they are missing, and when they expire soon', () => {
    const cache = learned({ answers: announcement('pc1').answers?.slice(0, 1) ?? [] });
    expect(cache.questions(LANFLOW_SERVICE, 0)).toEqual([{ name: 'pc1._lanflow._tcp.local', type: 'ANY' }]);
    expect(cache.questions(LANFLOW_SERVICE, 1000)).toEqual([]);
    expect(cache.questions(LANFLOW_SERVICE, 4000)).toHaveLength(1);
    cache.learn(announcement('pc1'), 'eth0', 5000);
    const asked = Array.from({ length: 120 }, (_, second) => second).filter(
      (second) => cache.questions(LANFLOW_SERVICE, 5000 + 1000 * second).length > 0,
    );
    expect(asked).toEqual([97, 103, 109, 115]);
    expect(cache.known(LANFLOW_SERVICE, 65_000)).toMatchObject([{ data: 'pc1._lanflow._tcp.local', ttl: 60 }]);
    expect(cache.known(LANFLOW_SERVICE, 125_000)).toEqual([]);
  });

  it('expire', () => {
    const cache = learned(announcement('pc1'));
    cache.expire(119_999);
    expect(cache.instances(LANFLOW_SERVICE)).toHaveLength(1);
    cache.expire(120_000);
    expect(cache.instances(LANFLOW_SERVICE)).toEqual([]);
  });

  it('are taken back, but not by an earlier start of the agent', () => {
    const cache = learned(announcement('pc1', { startId: 'second' }));
    const { answers = [] } = announcement('pc1', { startId: 'first' }, 0);
    cache.learn({ answers: answers.filter(({ type }) => type === 'TXT') }, 'eth0', 10);
    expect(cache.instances(LANFLOW_SERVICE)).toHaveLength(1);
    cache.learn(announcement('pc1', { startId: 'second' }, 0), 'eth0', 20);
    expect(cache.instances(LANFLOW_SERVICE)).toEqual([]);
  });

  it('of a machine on two links are one service, and go with their link', () => {
    const cache = learned(announcement('pc1', {}, 120, ['10.0.0.9', 'fe80::9']));
    cache.learn(announcement('pc1', {}, 120, ['10.0.1.9', 'fe80::9']), 'eth1', 5000);
    const addresses = () => cache.instances(LANFLOW_SERVICE).map((each) => each.addresses);
    expect(addresses()).toEqual([['10.0.0.9', '10.0.1.9', 'fe80::9%eth0', 'fe80::9%eth1']]);
    // A new address makes that of the same link void.
    cache.learn(announcement('pc1', {}, 120, ['10.0.0.77']), 'eth0', 9000);
    expect(addresses()).toEqual([['10.0.1.9', '10.0.0.77', 'fe80::9%eth0', 'fe80::9%eth1']]);
    cache.forgetLink('eth1');
    expect(addresses()).toEqual([['10.0.0.77', 'fe80::9%eth0']]);
  });

  it('of a flood of names take a bounded part of memory', () => {
    const cache = new ServiceCache();
    for (let i = 0; i < 3000; i++) cache.learn(announcement(`flood${i}`), 'eth0', 0);
    expect(cache.instances(LANFLOW_SERVICE).length).toBeLessThanOrEqual(1250);
    cache.expire(120_000);
    cache.learn(announcement('pc1'), 'eth0', 120_001);
    expect(cache.instances(LANFLOW_SERVICE)).toHaveLength(1);
  });
});

describe('malformed packets', () => {
  it('with records of the wrong kind are left out', () => {
    const name = 'pc1._lanflow._tcp.local';
    const wrong: unknown[] = [
      null,
      5,
      {},
      { name, type: 'SRV', ttl: 120, data: null },
      { name, type: 'SRV', ttl: 120, data: { target: 'x', port: 70_000 } },
      { name, type: 'SRV', ttl: 120, data: { target: 5, port: 7 } },
      { name, type: 'SRV', ttl: Number.NaN, data: { target: 'x', port: 7 } },
      { name: 7, type: 'TXT', ttl: 120, data: [] },
      { name: 'lanflow-pc1.local', type: 'A', ttl: 120, data: '224.0.0.1' },
      { name: 'lanflow-pc1.local', type: 'AAAA', ttl: 120, data: {} },
      { name: LANFLOW_SERVICE, type: 'PTR', ttl: 120, data: [] },
    ];
    // The types are those of a well-behaved sender.
    const cache = learned({ answers: wrong as never }, { answers: 'none' as never }, {});
    expect(cache.instances(LANFLOW_SERVICE)).toEqual([]);
    expect(cache.questions(LANFLOW_SERVICE, 0)).toEqual([]);
  });

  it('of random bytes, and good ones with some changed, disturb nothing', async () => {
    const socket = new FakeDatagramSocket();
    const mdns = openMulticast({ type: 'udp4', interface: '10.0.0.5', bind: '0.0.0.0', socket });
    const cache = new ServiceCache();
    const table = new MachineTable();
    let read = 0;
    let unreadable = 0;
    mdns.on('warning', () => unreadable++);
    mdns.on('packet', (message) => {
      read++;
      cache.learn(message, 'eth0', read);
      // As discovery does: not for each message.
      if (read % 100 > 0) return;
      table.update(cache.instances(LANFLOW_SERVICE), LAN);
      cache.questions(SSH_SERVICE, read);
      cache.known(LANFLOW_SERVICE, read);
    });
    const message: DnsMessage = { type: 'response', ...announcement('pc1', {}, 120, ['10.0.0.9', 'fd00::9']) };
    await new Promise<void>((resolve) => mdns.send(message, null, () => resolve()));
    const [good] = socket.sent;
    if (!good) throw new Error('The message was not sent');
    const random = seededRandom(7);
    for (let i = 0; i < 1500; i++) {
      const bytes = Buffer.from(good).subarray(0, i % 5 === 0 ? Math.floor(random() * good.length) : good.length);
      for (let changes = Math.floor(random() * 6); changes > 0; changes--) bytes[Math.floor(random() * bytes.length)] = random() * 256;
      socket.emit('message', bytes, { address: '10.0.0.9', port: 5353 });
      socket.emit('message', Buffer.from(Array.from({ length: random() * 100 }, () => random() * 256)), {
        address: '10.0.0.9',
        port: 5353,
      });
    }
    expect(read).toBeGreaterThan(500);
    expect(unreadable).toBeGreaterThan(500);
    socket.emit('message', good, { address: '10.0.0.9', port: 5353 });
    table.update(cache.instances(LANFLOW_SERVICE), LAN);
    expect(table.machines.some(({ machine, port }) => machine === 'pc1' && port === 7450)).toBe(true);
  });
});

class FakeDatagramSocket extends EventEmitter {
  readonly sent: Buffer[] = [];

  send(message: Buffer, ...rest: readonly unknown[]): void {
    this.sent.push(message);
    const done = rest.at(-1);
    if (typeof done === 'function') done();
  }

  bind(_port: number, _address: string, done: () => void): void {
    done();
  }
}

function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
