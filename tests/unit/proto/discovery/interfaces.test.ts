import { describe, expect, it } from 'vitest';
import { byReach, type InterfaceAddress, ownAddresses, usableInterfaces } from '#proto/discovery/interfaces.ts';
import { cameOver, linksOf, socketOptions } from '#proto/discovery/link.ts';

const v4 = (cidr: string, internal = false): InterfaceAddress => ({
  address: cidr.split('/')[0] ?? '',
  family: 'IPv4',
  internal,
  mac: '02:00:00:00:00:01',
  cidr,
});
const v6 = (cidr: string, scopeid = 0): InterfaceAddress => ({ ...v4(cidr), family: 'IPv6', scopeid });

const lo = [v4('127.0.0.1/8', true), { ...v6('::1/128'), internal: true }];
const lab = { lo, eth0: [v4('10.0.0.5/24'), v6('fd00::5/64'), v6('fe80::5/64', 2)] };
const host = {
  ...lab,
  wlan0: [v4('192.168.7.5/24')],
  docker0: [v4('172.17.0.1/16')],
  'br-1a2b3c': [v4('172.18.0.1/16')],
  veth12: [v6('fe80::77/64', 9)],
  virbr0: [v4('192.168.122.1/24')],
  cni0: [v4('10.244.0.1/24')],
  'vEthernet (Default Switch)': [v4('172.28.0.1/20')],
  tailscale0: [v4('100.64.0.1/32')],
};

describe('interfaces on the LAN', () => {
  it('are those that no program has made for itself', () => {
    expect(usableInterfaces(host).map(([name]) => name)).toEqual(['eth0', 'wlan0']);
    expect(ownAddresses(host)).toEqual(['10.0.0.5', '192.168.7.5', 'fd00::5']);
  });

  it('include a container’s own and the bridge on which a server has its address', () => {
    expect(ownAddresses({ lo, eth0: [v4('172.17.0.4/16')] })).toEqual(['172.17.0.4']);
    expect(ownAddresses({ lo, br0: [v4('10.0.0.5/24')], 'Ethernet 2': [v4('10.1.0.5/24')] })).toEqual(['10.0.0.5', '10.1.0.5']);
  });

  it('have link-local addresses only when there is nothing else', () => {
    expect(ownAddresses({ lo, eth0: [v4('169.254.3.4/16'), v6('fe80::5%eth0/64', 2)] })).toEqual(['169.254.3.4', 'fe80::5']);
    expect(ownAddresses({ lo, eth0: [v6('fe80::5/64', 2)], eth1: [v4('10.0.0.5/24')] })).toEqual(['10.0.0.5']);
    expect(ownAddresses({ lo })).toEqual([]);
  });
});

describe('addresses of another machine', () => {
  it('are tried in the order of how they can be reached', () => {
    const there = ['fe80::9%eth0', '10.9.9.9', 'fd00::9', '192.168.7.9', '10.0.0.9', '10.0.0.9'];
    expect(byReach(there, host)).toEqual(['10.0.0.9', '192.168.7.9', 'fd00::9', '10.9.9.9', 'fe80::9%eth0']);
  });

  it('are not those that every Docker host has', () => {
    expect(byReach(['172.17.0.1', '192.168.122.1', '10.0.0.9'], host)).toEqual(['10.0.0.9']);
  });
});

describe('links', () => {
  it('are one per interface and family', () => {
    expect(linksOf(host).map(({ name, family, address }) => `${name} ${family} ${address}`)).toEqual([
      'eth0 IPv4 10.0.0.5',
      'eth0 IPv6 fe80::5',
      'wlan0 IPv4 192.168.7.5',
    ]);
  });

  it('are others when an interface was replaced by one with the same address', () => {
    const [before] = linksOf(lab);
    const [after] = linksOf({ lo, eth0: lab.eth0.map((each) => ({ ...each, ...(each.scopeid && { scopeid: 3 }) })) });
    expect(after?.address).toBe(before?.address);
    expect(after?.key).not.toBe(before?.key);
  });

  it('open sockets that hear multicast', () => {
    const [four, six] = linksOf(lab);
    expect(four && socketOptions(four, false)).toEqual({ type: 'udp4', interface: '10.0.0.5', bind: '0.0.0.0' });
    expect(six && socketOptions(six, false)).toEqual({ type: 'udp6', ip: 'ff02::fb', interface: '::%eth0', bind: '::' });
    expect(six && socketOptions(six, true).interface).toBe('::%2');
  });

  it('each packet came over one', () => {
    const links = linksOf(host);
    const over = (from: string): string[] =>
      links.filter((link) => cameOver(link, from, links)).map(({ name, family }) => `${name} ${family}`);
    expect(over('10.0.0.9')).toEqual(['eth0 IPv4']);
    expect(over('192.168.7.9')).toEqual(['wlan0 IPv4']);
    expect(over('::ffff:10.0.0.9')).toEqual(['eth0 IPv4']);
    expect(over('fe80::9%eth0')).toEqual(['eth0 IPv6']);
    expect(over('fe80::9%2')).toEqual(['eth0 IPv6']);
    expect(over('fe80::9%veth12')).toEqual([]);
    // Of a foreign subnet on one of the wires: which one cannot be told.
    expect(over('10.55.0.9')).toEqual(['eth0 IPv4', 'wlan0 IPv4']);
  });
});
