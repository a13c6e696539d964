import { describe, expect, it } from 'vitest';
import { LANFLOW_SERVICE, SSH_SERVICE } from '#proto/discovery/dns.ts';
import { installable } from '../../../../../main/machines/discovery/installable.ts';
import { MachineTable } from '../../../../../main/machines/discovery/machine-table.ts';
import { QueryTimes } from '../../../../../main/machines/discovery/query-times.ts';
import { ServiceCache, type ServiceInstance } from '../../../../../main/machines/discovery/service-cache.ts';
import { announcement, LAN } from './support/announcement.ts';

function instances(...messages: readonly ReturnType<typeof announcement>[]): readonly ServiceInstance[] {
  const cache = new ServiceCache();
  for (const message of messages) cache.learn(message, 'eth0', 1000);
  return cache.instances(LANFLOW_SERVICE);
}

describe('the table of machines', () => {
  it('tells what comes, changes and goes, and keeps when it was seen', () => {
    const table = new MachineTable();
    expect(table.update(instances(announcement('pc1')), LAN)).toMatchObject([{ kind: 'up', machine: { title: 'pc1', isHere: true } }]);
    expect(table.update(instances(announcement('pc1')), LAN)).toEqual([]);
    const restarted = table.update(instances(announcement('pc1', { startId: 'again' })), LAN);
    expect(restarted).toMatchObject([{ kind: 'changed', isRestarted: true }]);
    const renamed = table.update(instances(announcement('pc1', { startId: 'again', name: 'other' })), LAN);
    expect(renamed).toMatchObject([{ kind: 'changed', isRestarted: false, machine: { title: 'other' } }]);
    expect(table.update([], LAN)).toMatchObject([{ kind: 'lost', machine: { isHere: false, seenAt: 1000 } }]);
    expect(table.update([], LAN)).toEqual([]);
    expect(table.machines).toHaveLength(1);
    expect(table.update(instances(announcement('pc1')), LAN)).toMatchObject([{ kind: 'up' }]);
  });

  it('gives machines of one name titles that stay', () => {
    const table = new MachineTable();
    const named = (id: string) => announcement(id, { name: 'lab-pc' });
    table.update(instances(named('zzz')), LAN);
    table.update(instances(named('aaa'), named('mmm'), named('zzz')), LAN);
    const titles = () => table.machines.map(({ machine, title }) => `${machine} ${title}`);
    expect(titles()).toEqual(['zzz lab-pc', 'aaa lab-pc (2)', 'mmm lab-pc (3)']);
    table.update(instances(named('mmm'), named('aaa')), LAN);
    expect(titles()).toEqual(['zzz lab-pc', 'aaa lab-pc (2)', 'mmm lab-pc (3)']);
    table.forget('aaa');
    table.forget('zzz');
    expect(table.machines.map(({ machine }) => machine)).toEqual(['aaa', 'mmm']);
  });
});

describe('machines that announce SSH', () => {
  const ssh = (label: string, address: string): ServiceInstance => ({
    name: `${label}.${SSH_SERVICE}`,
    host: `${label}.local`,
    port: 22,
    text: [],
    addresses: [address],
    seenAt: 0,
  });

  it('can be installed unless they have an agent, or are this one', () => {
    const table = new MachineTable();
    table.update(instances(announcement('pc1')), LAN);
    const offers = () => installable([ssh('Bare one', '10.0.0.8'), ssh('pc1', '10.0.0.9'), ssh('here', '10.0.0.5')], table.machines, LAN);
    expect(offers()).toEqual([{ name: 'Bare one', host: 'Bare one.local', addresses: ['10.0.0.8'], port: 22 }]);
    table.update([], LAN);
    expect(offers().map(({ name }) => name)).toEqual(['Bare one', 'pc1']);
  });
});

describe('queries', () => {
  it('are sent at 0, 1 and 3 s, and then less and less often', () => {
    const times = new QueryTimes(5000);
    const sent = Array.from({ length: 200 }, (_, second) => second).filter((second) => times.isDue(5000 + 1000 * second));
    expect(sent).toEqual([0, 1, 3, 9, 27, 77, 127, 177]);
    expect([times.isDue(9_000_000), times.isDue(9_000_000)]).toEqual([true, false]);
  });
});
