import { describe, expect, it } from 'vitest';
import { settingsShape } from '#proto/ipc/arguments.ts';
import { PROPOSED, readRange } from '../../../../renderer/features/settings/port-range.ts';

/** The core must take what the screen lets through, and nothing else is worth typing. */
const isTaken = (ports: unknown): boolean => {
  try {
    settingsShape({ language: 'en', theme: 'dark', ports }, 'settings');
    return true;
  } catch {
    return false;
  }
};

describe('two fields for a range of ports', () => {
  it.each([
    ['50000', '50099'],
    ['1024', '65535'],
    ['6000', '6000'],
  ])('%s to %s is one', (from, to) => {
    expect(readRange(from, to)).toEqual({ from: Number(from), to: Number(to) });
    expect(isTaken(readRange(from, to))).toBe(true);
  });

  it.each([
    ['50099', '50000'],
    ['80', '90'],
    ['60000', '65536'],
    ['', '50000'],
    ['5000.5', '6000'],
    ['x', 'y'],
  ])('%s to %s is none, for the core neither', (from, to) => {
    expect(readRange(from, to)).toBeUndefined();
    expect(isTaken({ from: Number(from), to: Number(to) })).toBe(false);
  });

  it('begin with a range that can be kept', () => {
    expect(isTaken(PROPOSED)).toBe(true);
  });
});
