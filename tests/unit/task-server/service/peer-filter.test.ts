import { expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { createPeerFilter, parseOpening } from '../../../../task-server/service/peer-filter.ts';

const own = { localAddress: '192.168.1.5' };

it.each([
  { remoteAddress: '127.0.0.1', allow: [], admitted: true },
  { remoteAddress: '127.9.9.9', allow: [], admitted: true },
  { remoteAddress: '::1', allow: [], admitted: true },
  { remoteAddress: '::ffff:127.0.0.1', allow: [], admitted: true },
  { remoteAddress: '192.168.1.5', allow: [], admitted: true },
  { remoteAddress: '192.168.1.6', allow: [], admitted: false },
  { remoteAddress: '::ffff:192.168.1.6', allow: [], admitted: false },
  { remoteAddress: 'fe80::1', allow: [], admitted: false },
  { remoteAddress: '192.168.1.6', allow: ['192.168.1.0/24'], admitted: true },
  { remoteAddress: '::ffff:192.168.1.6', allow: ['192.168.1.0/24'], admitted: true },
  { remoteAddress: '192.168.2.6', allow: ['192.168.1.0/24'], admitted: false },
  { remoteAddress: '10.1.2.3', allow: ['192.168.1.0/24', '10.1.2.3'], admitted: true },
  { remoteAddress: 'fd00::7', allow: ['fd00::/8'], admitted: true },
  { remoteAddress: undefined, allow: ['0.0.0.0/0'], admitted: false },
])('$remoteAddress with --allow $allow: $admitted', ({ remoteAddress, allow, admitted }) => {
  expect(createPeerFilter(allow).admits({ ...own, remoteAddress })).toBe(admitted);
});

it.each(['lan', '192.168.1.0/33', '192.168.1.0/', '1.2.3.4/8/8', 'fd00::/129'])('refuses "%s" as a network', (cidr) => {
  expect(() => createPeerFilter([cidr])).toThrow(
    expect.objectContaining({ code: Code.INVALID_ARGUMENT, message: expect.stringContaining(cidr) }),
  );
});

it('reads openings', () => {
  expect(parseOpening('10.0.0.0/8')).toEqual({ network: '10.0.0.0/8' });
  expect(parseOpening('fd00::/8=3600')).toEqual({ network: 'fd00::/8', seconds: 3600 });
});

it.each(['10.0.0.0/8=', '10.0.0.0/8=0', '10.0.0.0/8=1.5', '10.0.0.0/8=-1', '10.0.0.0/8=2147484', '10.0.0.0/8=1=2', 'lan=60'])(
  'refuses "%s" as an opening',
  (text) => {
    expect(() => parseOpening(text)).toThrow(expect.objectContaining({ code: Code.INVALID_ARGUMENT }));
  },
);
