import { describe, expect, it } from 'vitest';
import type { InterfaceAddress } from '#proto/discovery/interfaces.ts';
import { neighbours, probeSubnets } from '../../../../../main/machines/discovery/subnet-probe.ts';

const card = (cidr: string): readonly InterfaceAddress[] => [
  { address: cidr.split('/')[0] ?? '', family: 'IPv4', internal: false, mac: '02:00:00:00:00:01', cidr },
];

describe('addresses to knock at', () => {
  it('are the others of the own subnet', () => {
    expect(neighbours({ eth0: card('10.0.0.5/29') })).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.6']);
    expect(neighbours({ eth0: card('10.0.0.4/31') })).toEqual(['10.0.0.5']);
    expect(neighbours({ docker0: card('172.17.0.1/16') })).toEqual([]);
  });

  it('are 254 at most: of a large subnet those nearby, of several some of each', () => {
    const large = neighbours({ eth0: card('10.0.3.5/16') });
    expect(large).toHaveLength(253);
    expect(large.every((address) => address.startsWith('10.0.3.'))).toBe(true);
    const two = neighbours({ eth0: card('10.0.0.5/24'), eth1: card('192.168.255.5/24') });
    expect(two.length).toBeLessThanOrEqual(254);
    expect(two.filter((address) => address.startsWith('192.')).length).toBeGreaterThan(120);
  });
});

describe('the probe of the own subnet', () => {
  it('finds agents, 64 addresses at a time', async () => {
    let at = 0;
    let most = 0;
    const found: string[] = [];
    const progress: number[] = [];
    const { tried, all } = await probeSubnets({
      interfaces: { eth0: card('10.0.0.5/24') },
      port: 7450,
      signal: new AbortController().signal,
      connect: async (address) => {
        most = Math.max(most, ++at);
        await new Promise((resolve) => setTimeout(resolve, 1));
        at--;
        return ['10.0.0.9', '10.0.0.77'].includes(address) ? 'open' : 'no answer';
      },
      identify: async (address) => address === '10.0.0.9',
      onFound: (address) => found.push(address),
      onProgress: (numbers) => progress.push(numbers.tried),
    });
    expect({ tried, all, most, found, last: progress.at(-1) }).toEqual({ tried: 253, all: 253, most: 64, found: ['10.0.0.9'], last: 253 });
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const numbers = await probeSubnets({
      interfaces: { eth0: card('10.0.0.5/24') },
      port: 7450,
      signal: stop.signal,
      connect: async () => {
        stop.abort();
        return 'open';
      },
      identify: async () => true,
      onProgress: () => undefined,
      onFound: () => expect.unreachable('nothing is told after the stop'),
    });
    expect(numbers).toEqual({ tried: 1, all: 253 });
  });
});
