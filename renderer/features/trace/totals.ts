import type { TraceDevice } from '#proto/ipc/contract.ts';
import { titleOf } from '../../plots/timeline/transfers.ts';

/** What the slices of one op, node or device come to. Times in microseconds. */
export interface Total {
  readonly key: string;
  readonly count: number;
  readonly time: number;
  readonly longest: number;
  /** Time between "all inputs are there" and the start. */
  readonly waited: number;
  readonly bytes: number;
  /** Of the time of all, 0 to 1. */
  readonly share: number;
}

export type Grouping = 'op' | 'node' | 'device';
export type TotalColumn = keyof Total;

const keyOf: Readonly<Record<Grouping, (lane: TraceDevice, slice: number) => string>> = {
  op: ({ ops }, slice) => ops[slice] ?? '',
  node: titleOf,
  device: ({ device }) => device,
};

type Sum = { -readonly [K in Exclude<TotalColumn, 'share'>]: Total[K] };

/** In the order of first appearance. */
export function totalsBy(grouping: Grouping, lanes: readonly TraceDevice[]): Total[] {
  const sums = new Map<string, Sum>();
  let all = 0;
  for (const lane of lanes) {
    for (let slice = 0; slice < lane.names.length; slice++) {
      const key = keyOf[grouping](lane, slice);
      const sum = sums.get(key) ?? { key, count: 0, time: 0, longest: 0, waited: 0, bytes: 0 };
      const time = (lane.end[slice] ?? 0) - (lane.start[slice] ?? 0);
      sum.count++;
      sum.time += time;
      sum.longest = Math.max(sum.longest, time);
      sum.waited += Math.max(0, (lane.start[slice] ?? 0) - (lane.scheduled[slice] ?? 0));
      sum.bytes += lane.bytes[slice] ?? 0;
      sums.set(key, sum);
      all += time;
    }
  }
  return [...sums.values()].map((sum) => ({ ...sum, share: all === 0 ? 0 : sum.time / all }));
}

/** Names in the order of people (`task:10` after `task:9`); equal values stay in their order. */
export function sortTotals(totals: readonly Total[], column: TotalColumn, descending: boolean): Total[] {
  const sign = descending ? -1 : 1;
  const names = new Intl.Collator('en', { numeric: true });
  return [...totals].sort((a, b) => sign * (column === 'key' ? names.compare(a.key, b.key) : a[column] - b[column]));
}
