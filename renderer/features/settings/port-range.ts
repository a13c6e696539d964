import type { PortRange } from '#proto/ipc/contract.ts';

/** Lower ones are the system's. */
const FIRST = 1024;
const LAST = 65_535;

/** Proposed to somebody who wants a range: free on most machines, and easy to remember. */
export const PROPOSED: PortRange = { from: 50_000, to: 50_099 };

/** What two fields say; undefined when that is no range of ports for tasks. */
export function readRange(from: string, to: string): PortRange | undefined {
  const range = { from: Number(from), to: Number(to) };
  const isRange = Number.isInteger(range.from) && Number.isInteger(range.to) && FIRST <= range.from && range.from <= range.to;
  return isRange && range.to <= LAST ? range : undefined;
}
