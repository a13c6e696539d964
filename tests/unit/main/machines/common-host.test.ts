import { describe, expect, it } from 'vitest';
import { commonHost } from '../../../../main/machines/common-host.ts';

const at = (...networks: string[]) => ({ networks, addresses: [] });

describe('the address of a machine for the others of a cluster', () => {
  it('is the one in the subnet that all of them are on', () => {
    const server = at('192.168.1.10/24', '10.0.0.10/16');
    expect(commonHost(server, [at('10.0.3.4/16'), at('10.0.9.9/16', '172.20.0.1/24')])).toBe('10.0.0.10');
    expect(commonHost(server, [at('192.168.1.3/24')])).toBe('192.168.1.10');
  });

  it('is an IPv4 one where both kinds would do', () => {
    expect(commonHost(at('fd00::1/64', '10.0.0.1/24'), [at('fd00::2/64', '10.0.0.2/24')])).toBe('10.0.0.1');
    expect(commonHost(at('fd00::1/64'), [at('fd00::2/64')])).toBe('fd00::1');
  });

  it('is the one under which it is known where no subnet is common', () => {
    expect(commonHost({ networks: ['10.1.0.1/24'], addresses: ['10.1.0.1'] }, [at('10.2.0.1/24')])).toBe('10.1.0.1');
    expect(commonHost({ networks: [], addresses: ['10.1.0.7'] }, [at('10.2.0.1/24')])).toBe('10.1.0.7');
  });

  it('is unknown of a machine that nothing is known of', () => {
    expect(commonHost(at(), [at('10.0.0.1/8')])).toBeUndefined();
  });
});
