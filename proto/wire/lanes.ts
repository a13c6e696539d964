export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Gives each span a lane so that no two on one lane overlap, with as few lanes as there are spans at the busiest moment. The
 * result is in the order of `spans`. A lane is free again for a span that starts when the one before ends; spans without
 * length take part.
 */
export function assignLanes(spans: readonly Span[]): number[] {
  const order = [...spans.keys()].sort((a, b) => {
    const [left, right] = [spans[a], spans[b]];
    return (left?.start ?? 0) - (right?.start ?? 0) || (left?.end ?? 0) - (right?.end ?? 0) || a - b;
  });
  const freeFrom: number[] = [];
  const lanes = new Array<number>(spans.length).fill(0);
  for (const index of order) {
    const span = spans[index];
    if (!span) continue;
    const free = freeFrom.findIndex((end) => end <= span.start);
    const lane = free === -1 ? freeFrom.length : free;
    freeFrom[lane] = span.end;
    lanes[index] = lane;
  }
  return lanes;
}
