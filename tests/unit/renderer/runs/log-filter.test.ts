import { describe, expect, it } from 'vitest';
import type { LogLine } from '#proto/ipc/contract.ts';
import { type LogFilter, LogSieve, logText } from '../../../../renderer/features/runs/log-filter.ts';

const said = (number: number, source: string, text: string, kind: LogLine['kind'] = 'client'): LogLine => ({
  number,
  time: 0,
  source,
  kind,
  text,
});
const log = [
  said(0, 'client', 'step 1: weight 0.2'),
  said(1, '/job:ps/replica:0/task:0', 'session opened', 'task'),
  said(2, 'client', 'Step 2: weight 0.1'),
  said(3, 'client', 'bad weight', 'error'),
];
const all: LogFilter = { source: '', kind: '', text: '' };
const sift = (filter: Partial<LogFilter>) => new LogSieve().lines(log, { ...all, ...filter });

describe('LogSieve', () => {
  it('is the log itself without a filter', () => {
    expect(sift({ text: ' ' })).toBe(log);
  });

  it('asks for source, kind and all words', () => {
    expect(sift({ source: 'client', text: 'weight STEP 0.1' })).toEqual([log[2]]);
    expect(sift({ text: 'ps opened' })).toEqual([log[1]]);
    expect(sift({ source: 'client', text: 'opened' })).toEqual([]);
    expect(sift({ kind: 'error' })).toEqual([log[3]]);
  });

  it('looks at new lines only, and forgets what the log has lost', () => {
    const sieve = new LogSieve();
    const filter = { ...all, text: 'weight' };
    expect(sieve.lines(log.slice(0, 2), filter)).toEqual([log[0]]);
    expect(sieve.lines(log, filter)).toEqual([log[0], log[2], log[3]]);
    const later = [...log.slice(2), said(4, 'client', 'more weight')];
    expect(sieve.lines(later, filter).map(({ number }) => number)).toEqual([2, 3, 4]);
    expect(sieve.lines([said(9, 'client', 'weight')], filter).map(({ number }) => number)).toEqual([9]);
  });

  it('begins anew with another filter', () => {
    const sieve = new LogSieve();
    sieve.lines(log, { ...all, text: 'weight' });
    expect(sieve.lines(log, { ...all, text: 'session' })).toEqual([log[1]]);
  });

  it('hands out the same list as long as nothing passes', () => {
    const sieve = new LogSieve();
    const filter = { ...all, kind: 'error' } as const;
    const before = sieve.lines(log, filter);
    expect(sieve.lines([...log, said(4, 'client', 'fine')], filter)).toBe(before);
  });

  it('knows who has said something', () => {
    const sieve = new LogSieve();
    sieve.lines(log, { ...all, source: 'client' });
    expect([...sieve.sources]).toEqual(['client', '/job:ps/replica:0/task:0']);
  });
});

it('copies a line as time, source and text', () => {
  expect(logText(log.slice(0, 2))).toBe(
    '1970-01-01T00:00:00.000Z client step 1: weight 0.2\n1970-01-01T00:00:00.000Z /job:ps/replica:0/task:0 session opened',
  );
});
