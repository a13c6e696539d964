import { describe, expect, it } from 'vitest';
import { unknownKeys } from '../../../../renderer/features/machines/install-actions.ts';
import { installOf, installsOn, isUnderWay, parseTarget, targetOf, targetText } from '../../../../renderer/stores/machine-installs.ts';
import { installOn, machineOf } from './machine-of.ts';

describe('an address that somebody types', () => {
  it.each([
    ['lab-07', 'lab-07', 22],
    [' 10.0.4.17:2222 ', '10.0.4.17', 2222],
    ['fe80::1%eth0', 'fe80::1%eth0', 22],
    ['[fe80::1]:2222', 'fe80::1', 2222],
    ['::1', '::1', 22],
  ])('%s is understood', (typed, host, port) => {
    expect(parseTarget(typed)).toEqual({ host, port });
  });

  it.each(['', 'two words', 'me@lab-07', 'lab-07:', 'lab-07:0', 'lab-07:70000', 'lab-07:ssh', '[fe80::1'])('%j is none', (typed) => {
    expect(parseTarget(typed)).toBeUndefined();
  });

  it('is written as it is read', () => {
    for (const text of ['lab-07', '10.0.4.17:2222', '[fe80::1]:2222', 'fe80::1']) {
      const target = parseTarget(text);
      expect(target && targetText(target)).toBe(text);
    }
  });
});

describe('the work on a machine', () => {
  const machine = machineOf({ addresses: ['10.0.4.17', 'fe80::7'] });

  it('is found by any of its addresses; the newest counts', () => {
    const old = installOn('10.0.4.17', { stage: 'failed' });
    const fresh = installOn('fe80::7');
    expect(installOf(machine, [old, fresh, installOn('10.0.4.18')])).toBe(fresh);
    expect(installOf(machine, [])).toBeUndefined();
  });

  it('goes by the port of SSH, not by that of an agent', () => {
    expect(targetOf(machineOf({ state: 'lost' }))).toEqual({ host: '10.0.4.11', port: 22 });
    expect(targetOf(machineOf({ state: 'installable', port: 2222 }))).toEqual({ host: '10.0.4.11', port: 2222 });
    expect(targetOf(machineOf({ name: 'lab-07', addresses: [] })).host).toBe('lab-07');
  });

  it('is told by host and port', () => {
    const installs = [installOn('a'), installOn('a', { port: 2222 }), installOn('b')];
    expect(installsOn([{ host: 'a', port: 22 }], installs)).toEqual([installs[0]]);
  });

  it('waits for the word on its key, and ends in three ways', () => {
    const all = (['connecting', 'host key', 'probing', 'done', 'failed', 'cancelled'] as const).map((stage) => installOn(stage, { stage }));
    expect(all.filter(isUnderWay).map(({ stage }) => stage)).toEqual(['connecting', 'host key', 'probing']);
    expect(unknownKeys(all).map(({ stage }) => stage)).toEqual(['host key']);
  });
});
