import { expect, it } from 'vitest';
import type { LogLine } from '#proto/ipc/contract.ts';
import { errorText, parseRunError } from '../../../../renderer/features/runs/run-error.ts';

it('finds node, task and device in the text of a step', () => {
  const text = [
    'Incompatible shapes: [2] vs. [3] on /job:worker/replica:0/task:1/device:CPU:0',
    '\t [[{{node layer/add}}]]',
    'Additional: /job:ps/task:0 is gone',
  ].join('\n');
  expect(parseRunError(text)).toEqual({
    summary: 'Incompatible shapes: [2] vs. [3] on /job:worker/replica:0/task:1/device:CPU:0',
    nodes: ['layer/add'],
    tasks: ['/job:worker/replica:0/task:1', '/job:ps/replica:0/task:0'],
    devices: ['/job:worker/replica:0/task:1/device:CPU:0'],
  });
});

it('names a node that the sentence itself marks, and each once', () => {
  const { summary, nodes } = parseRunError('No kernel for node {{node w}} [[{{node w}}]]');
  expect(summary).toBe('No kernel for node w');
  expect(nodes).toEqual(['w']);
});

it('goes on to the second line when the first only says whence it came', () => {
  expect(parseRunError('From /job:ps/replica:0/task:0:\nIts process has ended\nmore').summary).toBe(
    'From /job:ps/replica:0/task:0: Its process has ended',
  );
});

it('is told whole by the log', () => {
  const line = (text: string, kind: LogLine['kind'] = 'error'): LogLine => ({ number: 0, time: 0, source: 'lanflow', kind, text });
  const log = [
    line('ABORTED: old'),
    line('step 1', 'client'),
    line('ABORTED: From ps:\nmore'),
    line('closed', 'task'),
    line('It came from worker 0'),
  ];
  expect(errorText({ status: 'From ps:', errorCode: 'ABORTED' }, log)).toBe('From ps:\nmore\nIt came from worker 0');
  expect(errorText({ status: 'other', errorCode: 'ABORTED' }, log)).toBe('other');
});

it('is only a sentence when it names nothing', () => {
  expect(parseRunError('The program ended')).toEqual({ summary: 'The program ended', nodes: [], tasks: [], devices: [] });
});
