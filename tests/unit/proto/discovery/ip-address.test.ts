import { describe, expect, it } from 'vitest';
import { familyOf, inSubnet, isLinkLocal, isLoopback, isUnicast, subnetOf, unmapped } from '#proto/discovery/ip-address.ts';

describe('IP addresses', () => {
  it('are of one family or no address at all', () => {
    for (const address of ['0.0.0.0', '10.0.0.255']) expect(familyOf(address)).toBe('IPv4');
    for (const address of ['::', '::1', 'fe80::1%eth0', '1:2:3:4:5:6:7:8', '::ffff:10.0.0.1', '1::8'])
      expect(familyOf(address)).toBe('IPv6');
    const wrong = [
      '',
      'pc1',
      '10.0.0',
      '10.0.0.256',
      '1.2.3.4.5',
      '1::2::3',
      '1:2:3',
      '1:2:3:4:5:6:7::8',
      'g::',
      '12345::',
      ':',
      '1.2.3.x',
    ];
    for (const address of wrong) expect(familyOf(address), address).toBeUndefined();
  });

  it('are in subnets', () => {
    expect(inSubnet('10.0.0.9', '10.0.0.5/24')).toBe(true);
    expect(inSubnet('10.0.1.9', '10.0.0.5/24')).toBe(false);
    expect(inSubnet('10.0.1.9', '10.0.0.5/23')).toBe(true);
    expect(inSubnet('fd00::9', 'fd00::5/64')).toBe(true);
    expect(inSubnet('fd00:0:0:1::9', 'fd00::5/64')).toBe(false);
    expect(inSubnet('10.0.0.9', 'fd00::5/0')).toBe(false);
    expect(inSubnet('10.0.0.9', '10.0.0.9')).toBe(false);
  });

  it.each([
    ['10.0.0.5/24', '10.0.0.0/24'],
    ['10.0.0.5', '10.0.0.5/32'],
    ['10.255.3.5/9', '10.128.0.0/9'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['fd00:1::5/64', 'fd00:1::/64'],
    ['fd00:0:0:1:5:6:7:8/128', 'fd00::1:5:6:7:8/128'],
    ['::1', '::1/128'],
    ['::/0', '::/0'],
    ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff/33', '2001:db8:8000::/33'],
  ])('%s is in the subnet %s', (address, subnet) => {
    expect(subnetOf(address)).toBe(subnet);
  });

  it.each(['', 'lan', '10.0.0.5/', '10.0.0.5/33', '10.0.0.5/8/8', '10.0.0.5/-1', 'fd00::/129', 'fe80::1%eth0/64'])(
    '"%s" is no subnet',
    (text) => {
      expect(subnetOf(text)).toBeUndefined();
    },
  );

  it('have kinds', () => {
    expect(['169.254.1.1', 'fe80::1%eth0', 'febf::1'].every(isLinkLocal)).toBe(true);
    expect(['169.255.1.1', 'fec0::1', '10.0.0.1'].some(isLinkLocal)).toBe(false);
    expect(['127.9.9.9', '::1'].every(isLoopback)).toBe(true);
    expect(['10.0.0.1', 'fd00::1', 'fe80::1'].every(isUnicast)).toBe(true);
    expect(['0.0.0.0', '224.0.0.251', '255.255.255.255', '::', 'ff02::fb', 'x'].some(isUnicast)).toBe(false);
    expect(unmapped('::ffff:10.0.0.1')).toBe('10.0.0.1');
    expect(unmapped('fe80::1')).toBe('fe80::1');
  });
});
