import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { MachineLoadSchema, TaskSetupSchema, TaskStatusSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { openingInfos, type SeenTask } from '../../../../../main/cluster/openings/opening-info.ts';

interface Told {
  readonly opening: readonly { readonly network: string; readonly remaining: number }[];
  readonly address?: string;
  readonly networks?: readonly string[];
  readonly age?: number;
}

function seen(name: string, { opening, address = '127.0.0.1:2222', networks = [], age = 0 }: Told): SeenTask {
  const status = create(TaskStatusSchema, { address, opening: opening.map((each) => ({ ...each })) });
  const load = networks.length === 0 ? undefined : create(MachineLoadSchema, { network: [...networks], address: ['10.9.9.9'] });
  return { name, machine: { load }, known: { id: name, setup: create(TaskSetupSchema), status, toldAt: performance.now() - age } };
}

describe('what a cluster is open to', () => {
  const timed = { network: '10.0.0.0/24', remaining: 60_000 };

  it('is put together from what its tasks tell, the longest time of each network', () => {
    const infos = openingInfos([seen('a', { opening: [timed] }), seen('b', { opening: [{ ...timed, remaining: 90_000 }] })]);
    expect(infos.map(({ network, addresses }) => [network, Object.keys(addresses)])).toEqual([['10.0.0.0/24', ['a', 'b']]]);
    expect((infos[0]?.closesAt ?? 0) - Date.now()).toBeGreaterThan(85_000);
  });

  it('has no end where one task is open as long as it runs', () => {
    const lasting = { ...timed, remaining: -1 };
    expect(openingInfos([seen('a', { opening: [timed] }), seen('b', { opening: [lasting] })])[0]?.closesAt).toBe(0);
  });

  it('is nothing when the time was over since it was told, or a task has told nothing', () => {
    expect(openingInfos([seen('a', { opening: [timed], age: 61_000 }), { name: 'b', known: undefined, machine: undefined }])).toEqual([]);
  });

  it.each([
    ['in the network', { networks: ['192.168.1.7/24', '10.0.0.5/24'] }, '10.0.0.5:2222'],
    ['that others know, where none is in the network', { networks: ['192.168.1.7/24'] }, '10.9.9.9:2222'],
    ['as it stands, where the machine tells none', {}, '127.0.0.1:2222'],
    ['of the other family too', { networks: ['fd00::5/64'], opening: [{ ...timed, network: 'fd00::/64' }] }, '[fd00::5]:2222'],
  ])('has an address %s', (_, told, address) => {
    expect(openingInfos([seen('a', { opening: [timed], ...told })])[0]?.addresses).toEqual({ a: address });
  });
});
