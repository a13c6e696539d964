import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { HelloResponseSchema } from '#proto/generated/lanflow/pairing_pb.ts';
import type { FoundMachine } from '../../../../../main/machines/discovery/machine-table.ts';
import { Neighbours } from '../../../../../main/machines/lan/neighbours.ts';

const found = (machine: string, more: Partial<FoundMachine> = {}): FoundMachine => ({
  machine,
  startId: 's1',
  name: 'lab-pc',
  title: 'lab-pc',
  versions: {},
  fingerprint: '',
  lab: '',
  addresses: ['10.0.0.1'],
  port: 7470,
  isHere: true,
  seenAt: 1,
  ...more,
});
const hello = (machine: string, lab = '') => create(HelloResponseSchema, { machine, startId: 's1', hostName: 'lab-pc', lab });

describe('agents of the LAN', () => {
  const heard: FoundMachine[] = [];
  const open = (...machines: FoundMachine[]) => {
    heard.splice(0, heard.length, ...machines);
    return new Neighbours({
      get machines() {
        return heard;
      },
      forget: () => undefined,
    });
  };

  it('are those that are heard and those that were given by address, each once, with different names', () => {
    const neighbours = open(found('a'));
    neighbours.add(hello('a'), { host: '10.0.0.9', port: 1 });
    neighbours.add(hello('b'), { host: '10.0.0.2', port: 7470 });
    expect(neighbours.all.map(({ machine, title, addresses }) => [machine, title, addresses[0]])).toEqual([
      ['a', 'lab-pc', '10.0.0.1'],
      ['b', 'lab-pc (2)', '10.0.0.2'],
    ]);
  });

  it('are reached at the given address when they are heard no longer', () => {
    const neighbours = open(found('a', { isHere: false }));
    neighbours.add(hello('a'), { host: '10.0.0.9', port: 7470 });
    expect(neighbours.find('a')).toMatchObject({ addresses: ['10.0.0.9'], isHere: true });
  });

  it('belong to a lab as soon as they are paired, whatever was announced before', () => {
    const neighbours = open(found('a'));
    neighbours.joined('a', '1f');
    expect(neighbours.find('a')?.lab).toBe('1f');
    heard[0] = found('a', { lab: '1f' });
    expect(neighbours.find('a')?.lab).toBe('1f');
    heard[0] = found('a', { lab: '2e' });
    expect(neighbours.find('a')?.lab).toBe('2e');
  });

  it('are forgotten when the user wants so', () => {
    const neighbours = open();
    neighbours.add(hello('b'), { host: '10.0.0.2', port: 7470 });
    neighbours.forget('b');
    expect(neighbours.all).toEqual([]);
  });
});
