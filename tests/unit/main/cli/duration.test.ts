import { describe, expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { parseDuration, spokenDuration } from '../../../../main/cli/duration.ts';

describe('a time on the command line', () => {
  it('is a number with its unit', () => {
    expect(['90s', '15m', '8h'].map(parseDuration)).toEqual([90, 900, 28_800]);
  });

  it.each(['', '15', 'm', '1.5h', '-1m', '1d', '15 m'])('is not "%s"', (text) => {
    expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: Code.INVALID_ARGUMENT }));
  });

  it('is said as people say it', () => {
    expect([12_300, 61_000, 900_000, 7_500_000].map(spokenDuration)).toEqual(['13 s', '1 min', '15 min', '2 h 5 min']);
  });
});
