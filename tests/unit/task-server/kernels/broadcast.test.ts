import { describe, expect, it } from 'vitest';
import { broadcastIndices, broadcastShape, commonShape, eachSpan, type Span } from '../../../../task-server/kernels/broadcast.ts';

function spansOf(a: readonly number[], b: readonly number[]): Span[] {
  const spans: Span[] = [];
  eachSpan(a, b, broadcastShape(a, b), (span) => spans.push({ ...span }));
  return spans;
}

describe('broadcastShape', () => {
  it('aligns shapes at their last dimension', () => {
    expect(broadcastShape([2, 1, 4], [3, 1])).toEqual([2, 3, 4]);
    expect(broadcastShape([], [0, 2])).toEqual([0, 2]);
  });

  it('names both shapes when they do not fit', () => {
    expect(() => broadcastShape([2], [3])).toThrow('Incompatible shapes: [2] vs. [3]');
    expect(commonShape([2], [3])).toBeUndefined();
  });
});

describe('eachSpan', () => {
  it('takes equal shapes and scalars in one span', () => {
    expect(spansOf([2, 3], [2, 3])).toEqual([{ a: 0, aStep: 1, b: 0, bStep: 1, out: 0, count: 6 }]);
    expect(spansOf([2, 3], [])).toEqual([{ a: 0, aStep: 1, b: 0, bStep: 0, out: 0, count: 6 }]);
    expect(spansOf([1, 1], [2, 3])).toEqual([{ a: 0, aStep: 0, b: 0, bStep: 1, out: 0, count: 6 }]);
  });

  it('joins dimensions that both inputs walk alike', () => {
    expect(spansOf([2, 3, 4], [3, 4])).toEqual([
      { a: 0, aStep: 1, b: 0, bStep: 1, out: 0, count: 12 },
      { a: 12, aStep: 1, b: 0, bStep: 1, out: 12, count: 12 },
    ]);
  });

  it('walks columns against rows', () => {
    expect(spansOf([2, 1], [3])).toEqual([
      { a: 0, aStep: 0, b: 0, bStep: 1, out: 0, count: 3 },
      { a: 1, aStep: 0, b: 0, bStep: 1, out: 3, count: 3 },
    ]);
  });

  it('visits nothing when there are no elements', () => {
    expect(spansOf([0, 2], [2])).toEqual([]);
  });
});

describe('broadcastIndices', () => {
  it('tells for each result which element it comes from', () => {
    expect([...(broadcastIndices([2, 1], [2, 3]) ?? [])]).toEqual([0, 0, 0, 1, 1, 1]);
    expect([...(broadcastIndices([3], [2, 3]) ?? [])]).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it('needs no table for equal shapes', () => {
    expect(broadcastIndices([2, 3], [2, 3])).toBeUndefined();
  });
});
