import { describe, expect, it } from 'vitest';
import { countFound, findSlices, nextFound } from '../../../../renderer/features/trace/search.ts';
import { traceDevice } from './trace-of.ts';

const lanes = [
  traceDevice('ps', [
    { name: 'Weights/read', op: 'Identity', start: 50, end: 60 },
    { name: 'biases/read', op: 'Identity', start: 10, end: 20 },
  ]),
  traceDevice('worker', [
    { name: 'Mul', op: 'Mul', start: 30, end: 40 },
    { name: 'RecvTensor', op: 'RecvTensor', inputs: ['edge_1_Weights/read'], from: 'ps', start: 40, end: 45 },
  ]),
];

describe('search in a trace', () => {
  it('finds by node, op and sender in whatever case', () => {
    const found = (text: string) => findSlices(lanes, text)?.map((slices) => [...slices]);
    expect(found('weights')).toEqual([[0], [1]]);
    expect(found(' identity ')).toEqual([[0, 1], []]);
    expect(found('ps')).toEqual([[], [1]]);
    expect(found('  ')).toBeUndefined();
  });

  it('goes through what it found in the order of time, and round', () => {
    const found = findSlices(lanes, 'read') ?? [];
    expect(countFound(found)).toBe(3);
    const first = nextFound(lanes, found, undefined, 1);
    const second = nextFound(lanes, found, first, 1);
    const third = nextFound(lanes, found, second, 1);
    expect([first, second, third, nextFound(lanes, found, third, 1)]).toEqual([
      { lane: 0, slice: 1 },
      { lane: 1, slice: 1 },
      { lane: 0, slice: 0 },
      { lane: 0, slice: 1 },
    ]);
    expect(nextFound(lanes, found, first, -1)).toEqual(third);
    expect(nextFound(lanes, findSlices(lanes, 'nothing') ?? [], undefined, 1)).toBeUndefined();
  });
});
