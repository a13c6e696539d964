import type { SeriesColumns } from '#proto/ipc/contract.ts';

/** Steps of a range that is shown in more detail than the rest. */
export interface Detail {
  readonly from: number;
  readonly to: number;
  readonly series: readonly SeriesColumns[];
}

/** The series with the steps of the detail as the detail has them. Where steps go back, a step says too little, and all stays as it is. */
export function spliceDetail(all: readonly SeriesColumns[], detail: Detail | undefined): readonly SeriesColumns[] {
  if (!detail) return all;
  return all.map((whole) => {
    const part = detail.series.find(({ client, name }) => client === whole.client && name === whole.name);
    if (!part || !isAscending(whole.steps) || !isAscending(part.steps)) return whole;
    const start = whole.steps.findIndex((step) => step >= detail.from);
    const after = whole.steps.findIndex((step) => step > Math.max(detail.to, part.steps.at(-1) ?? detail.to));
    const join = (column: 'steps' | 'values' | 'times') =>
      concat([
        whole[column].subarray(0, start < 0 ? undefined : start),
        part[column],
        after < 0 ? new Float64Array() : whole[column].subarray(after),
      ]);
    return { ...whole, steps: join('steps'), values: join('values'), times: join('times') };
  });
}

function isAscending(steps: Float64Array): boolean {
  return steps.every((step, at) => at === 0 || step >= (steps[at - 1] ?? step));
}

function concat(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
