import { describe, expect, it } from 'vitest';
import { parseHostfile } from '../../../../../main/machines/sources/hostfile.ts';
import { parseKnownHosts } from '../../../../../main/machines/sources/known-hosts.ts';
import { parseSshConfig } from '../../../../../main/machines/sources/ssh-config.ts';

describe('a hostfile', () => {
  it('names a machine a line', () => {
    const { hosts, problems } = parseHostfile(`# lab 3
pc1
10.0.0.9 slots=4 max_slots=8   # by address
student@pc2:2222
[fe80::1%eth0]:22
fd00::9

pc1 slots=2
`);
    expect(problems).toEqual([]);
    expect(hosts.map(({ address, port, user }) => [user, address, port])).toEqual([
      [undefined, 'pc1', 22],
      [undefined, '10.0.0.9', 22],
      ['student', 'pc2', 2222],
      [undefined, 'fe80::1%eth0', 22],
      [undefined, 'fd00::9', 22],
    ]);
  });

  it('tells which lines name none', () => {
    const { hosts, problems } = parseHostfile('pc1 is the teacher\r\npc2:99999\r\n<html>\r\npc3\r\n');
    expect(hosts.map(({ name }) => name)).toEqual(['pc3']);
    expect(problems).toEqual([
      { line: 1, text: 'pc1 is the teacher' },
      { line: 2, text: 'pc2:99999' },
      { line: 3, text: '<html>' },
    ]);
  });
});

describe('~/.ssh/config', () => {
  it('names machines, with what the first matching block says', () => {
    const hosts = parseSshConfig(`
Port 2200
Host pc1 pc2
  HostName %h.lab.example
  User "first user"
host=gw
\tHostName=10.0.0.1
Host pc* !pc9
  User late
  Port 22
Match host pc1
  User never
Host pc9
Host *
  User anyone
`);
    expect(hosts).toEqual([
      { name: 'pc1', address: 'pc1.lab.example', port: 2200, user: 'first user', source: 'ssh config' },
      { name: 'pc2', address: 'pc2.lab.example', port: 2200, user: 'first user', source: 'ssh config' },
      { name: 'gw', address: '10.0.0.1', port: 2200, user: 'anyone', source: 'ssh config' },
      { name: 'pc9', address: 'pc9', port: 2200, user: 'anyone', source: 'ssh config' },
    ]);
  });

  it('may be anything', () => {
    expect(parseSshConfig('')).toEqual([]);
    expect(parseSshConfig('\0\nHost\nHost a(b\n Port x\n')).toEqual([{ name: 'a(b', address: 'a(b', port: 22, source: 'ssh config' }]);
  });
});

describe('known_hosts', () => {
  it('names machines under name and address, and counts the hashed ones', () => {
    const { hosts, hashed } = parseKnownHosts(`pc1,10.0.0.9 ssh-ed25519 AAAA
pc1 ssh-rsa AAAA comment
[pc2.lab]:2222 ssh-ed25519 AAAA
|1|abc=|def= ssh-ed25519 AAAA
@revoked pc3 ssh-ed25519 AAAA
# pc4 ssh-ed25519 AAAA
*.lab,!pc5 ssh-ed25519 AAAA
fd00::9 ssh-ed25519 AAAA
broken
`);
    expect(hashed).toBe(1);
    expect(hosts.map(({ name, address, port }) => [name, address, port])).toEqual([
      ['pc1', '10.0.0.9', 22],
      ['pc2.lab', 'pc2.lab', 2222],
      ['fd00::9', 'fd00::9', 22],
    ]);
  });
});
