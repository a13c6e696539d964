import { describe, expect, it } from 'vitest';
import type { MachineState } from '#proto/ipc/contract.ts';
import { chosenShare, isSelectable, toInstall, toPlace } from '../../../../renderer/features/machines/selection.ts';
import { actionsFor, wayOut } from '../../../../renderer/stores/machine-actions.ts';
import { machineOf } from './machine-of.ts';

const states = ['online', 'lost', 'unpaired', 'other lab', 'installable'] as const satisfies readonly MachineState[];
const lab = states.map((state) => machineOf({ id: state, state }));
const ids = (machines: typeof lab) => machines.map(({ id }) => id);

describe('machines that are chosen', () => {
  it('are such that something can be done to many of them', () => {
    expect(ids(lab.filter(isSelectable))).toEqual(['online', 'installable']);
  });

  it('are installed on; all that can be while none is chosen', () => {
    const two = [machineOf({ id: 'a', state: 'installable' }), machineOf({ id: 'b', state: 'installable' })];
    expect([[], ['b', 'online'], ['online']].map((chosen) => ids([...toInstall(two, chosen)]))).toEqual([['a', 'b'], ['b'], []]);
  });

  it('make a cluster', () => {
    expect([[], ['online']].map((chosen) => ids([...toPlace(lab.slice(0, 1), chosen)]))).toEqual([[], ['online']]);
  });

  it('are all, some or none', () => {
    expect([[], ['online'], ['online', 'installable'], ['gone']].map((chosen) => chosenShare(lab, chosen))).toEqual([
      ...['none', 'some', 'all', 'none'],
    ]);
    expect(chosenShare([], [])).toBe('none');
  });
});

describe('what can be done about a machine', () => {
  it('begins with what brings it nearer to taking tasks', () => {
    expect(lab.map(wayOut)).toEqual([undefined, 'diagnose', 'pair', 'diagnose', 'install']);
  });

  it('is nothing to the one that the window is on', () => {
    expect(states.flatMap((state) => actionsFor({ isThis: true, state }))).toEqual([]);
  });
});
