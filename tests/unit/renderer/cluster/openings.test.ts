import { describe, expect, it } from 'vitest';
import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import { isOpenable, networksOf, timedOpening } from '../../../../renderer/features/cluster/openings.ts';
import { machineOf } from '../machines/machine-of.ts';

const onMachines = (...machines: string[]): Pick<ClusterInfo, 'state' | 'jobs'> => ({
  state: 'running',
  // Only what is looked at here.
  jobs: [{ name: 'w', tasks: machines.map((machine) => ({ machine, engine: 'bundled', state: 'running' }) as TaskInfo) }],
});

describe('the networks that a cluster may be opened to', () => {
  const machines = [
    machineOf({ id: 'a', networks: ['fd00::/64', '10.0.0.0/24'] }),
    machineOf({ id: 'b', networks: ['fd00::/64', '10.0.0.0/24', '10.9.0.0/16'] }),
    machineOf({ id: 'c', networks: ['192.168.7.0/24'] }),
  ];

  it('are those of its machines, shared ones first and IPv4 before IPv6', () => {
    expect(networksOf(onMachines('a', 'b', 'b'), machines)).toEqual(['10.0.0.0/24', '10.9.0.0/16', 'fd00::/64']);
    expect(networksOf(onMachines('gone'), machines)).toEqual([]);
  });
});

describe('a cluster', () => {
  it('can be opened when one of its tasks asks who calls', () => {
    expect(isOpenable(onMachines('a'))).toBe(true);
    expect(isOpenable({ ...onMachines('a'), state: 'starting' })).toBe(false);
    expect(isOpenable({ state: 'running', jobs: [{ name: 'w', tasks: [{ engine: 'tensorflow', state: 'running' } as TaskInfo] }] })).toBe(
      false,
    );
  });

  it('has an opening to end when it has an end', () => {
    const lasting = { network: '10.0.0.7/32', closesAt: 0, addresses: {} };
    const timed = { network: '10.0.0.0/24', closesAt: 5, addresses: {} };
    expect([timedOpening({}), timedOpening({ openings: [lasting] }), timedOpening({ openings: [lasting, timed] })]).toEqual([
      undefined,
      undefined,
      timed,
    ]);
  });
});
