import { describe, expect, it } from 'vitest';
import { candidates } from '../../../../../main/machines/sources/candidates.ts';
import type { KnownHost } from '../../../../../main/machines/sources/known-host.ts';
import { parseManualEntry } from '../../../../../main/machines/sources/manual-entry.ts';

const host = (name: string, address: string, source: KnownHost['source'], more: Partial<KnownHost> = {}): KnownHost => ({
  name,
  address,
  port: 22,
  source,
  ...more,
});
const installable = [{ name: 'PC1', host: 'pc1.local', addresses: ['10.0.0.8', 'fd00::8'], port: 22 }];
const found = {
  machine: '0123',
  startId: '0123',
  name: 'pc2',
  title: 'pc2',
  versions: {},
  fingerprint: '',
  lab: '',
  addresses: ['10.0.0.9'],
  port: 7450,
  isHere: true,
  seenAt: 0,
};

describe('machines that can be installed', () => {
  it('are there once, wherever they are known from', () => {
    const hosts = [
      host('pc1', 'pc1.local', 'ssh config', { user: 'student' }),
      host('gw', '10.0.0.8', 'known_hosts'),
      host('pc3', 'pc3', 'hostfile'),
      host('pc3', 'pc3', 'known_hosts', { port: 2222 }),
    ];
    expect(candidates({ found: [], installable, hosts })).toEqual([
      { name: 'PC1', address: '10.0.0.8', port: 22, user: 'student', sources: ['SSH on the LAN', 'ssh config', 'known_hosts'] },
      { name: 'pc3', address: 'pc3', port: 22, sources: ['hostfile'] },
      { name: 'pc3', address: 'pc3', port: 2222, sources: ['known_hosts'] },
    ]);
  });

  it('are not those whose agent is there', () => {
    const hosts = [host('pc2', 'pc2.local', 'ssh config'), host('other', '10.0.0.9', 'known_hosts')];
    expect(candidates({ found: [found], installable: [], hosts })).toEqual([]);
    expect(candidates({ found: [{ ...found, isHere: false }], installable: [], hosts })).toHaveLength(2);
  });
});

describe('a machine added by hand', () => {
  it('has a name or an address, and the usual port unless it is said', () => {
    expect(parseManualEntry(' lab-pc ', 7450)).toEqual({ host: 'lab-pc', port: 7450 });
    expect(parseManualEntry('10.0.0.9:7460', 7450)).toEqual({ host: '10.0.0.9', port: 7460 });
    expect(parseManualEntry('[fd00::9]:7460', 7450)).toEqual({ host: 'fd00::9', port: 7460 });
    expect(parseManualEntry('fe80::9%eth0', 7450)).toEqual({ host: 'fe80::9%eth0', port: 7450 });
  });

  it.each(['', ' ', 'a b', '10.0.0', '10.0.0.256', '224.0.0.251', '::', 'pc:0', 'pc:70000', '-pc', 'http://pc', '[::1', 'pc..lab'])(
    'is not %j',
    (text) => {
      expect(() => parseManualEntry(text, 7450)).toThrow(/no machine's address/);
    },
  );
});
