import { expect, it } from 'vitest';
import type { LogLine } from '#proto/ipc/contract.ts';
import { filterLog, sourcesOf } from '../../../../renderer/features/runs/log-filter.ts';

const said = (source: string, text: string): LogLine => ({ number: 0, time: 0, source, kind: 'client', text });
const log = [
  said('client', 'step 1: weight 0.2'),
  said('/job:ps/replica:0/task:0', 'session opened'),
  said('client', 'Step 2: weight 0.1'),
];

it('is the log itself without a filter', () => {
  expect(filterLog(log, { source: '', text: ' ' })).toBe(log);
});

it('asks for source and all words', () => {
  expect(filterLog(log, { source: 'client', text: 'weight STEP 0.1' })).toEqual([log[2]]);
  expect(filterLog(log, { source: '', text: 'ps opened' })).toEqual([log[1]]);
  expect(filterLog(log, { source: 'client', text: 'opened' })).toEqual([]);
});

it('knows who has said something', () => {
  expect(sourcesOf(log)).toEqual(['client', '/job:ps/replica:0/task:0']);
});
