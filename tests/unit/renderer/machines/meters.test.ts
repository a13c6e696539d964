import { describe, expect, it } from 'vitest';
import { metersOf } from '../../../../renderer/stores/machine-meters.ts';
import { machineOf as machine } from './machine-of.ts';

describe('the meters of a machine', () => {
  it('warn of a full disk or memory, not of a busy processor', () => {
    const meters = metersOf(machine({ load: 0.994, memoryTotal: 100, memoryFree: 10, diskTotal: 1000, diskFree: 20 }));
    expect(meters.map(({ kind, percent, tone }) => [kind, percent, tone])).toEqual([
      ['load', 99, 'calm'],
      ['memoryUsed', 90, 'warn'],
      ['disk', 98, 'bad'],
    ]);
  });

  it('leave out what is not known', () => {
    expect(metersOf(machine({ load: 2, memoryTotal: 0, memoryFree: 0, diskTotal: 0, diskFree: 0 })).map(({ percent }) => percent)).toEqual([
      100,
    ]);
  });
});
