import type { ClusterInfo, MachineInfo, OpeningInfo } from '#proto/ipc/contract.ts';
import { isChangeable } from './cluster-life.ts';

/** For how long a cluster can be opened, in seconds; there is no for ever. */
export const durations = [
  { id: '900', text: 'opening.minutes', count: 15 },
  { id: '3600', text: 'opening.hours', count: 1 },
  { id: '28800', text: 'opening.hours', count: 8 },
] as const;

/** The opening that somebody has made, and can end. */
export function timedOpening({ openings = [] }: Pick<ClusterInfo, 'openings'>): OpeningInfo | undefined {
  return openings.find(({ closesAt }) => closesAt > 0);
}

/** Whether it has a task that is not open to everybody anyway. */
export function isOpenable(cluster: Pick<ClusterInfo, 'state' | 'jobs'>): boolean {
  return (
    isChangeable(cluster) &&
    cluster.jobs.some(({ tasks }) => tasks.some(({ engine, state }) => engine === 'bundled' && state === 'running'))
  );
}

/** The networks of its machines: those that most of them are on come first, and IPv4 before IPv6. */
export function networksOf({ jobs }: Pick<ClusterInfo, 'jobs'>, machines: readonly MachineInfo[]): readonly string[] {
  const members = new Set(jobs.flatMap(({ tasks }) => tasks.map(({ machine }) => machine)));
  const counts = new Map<string, number>();
  for (const { networks } of machines.filter(({ id }) => members.has(id))) {
    for (const network of networks) counts.set(network, (counts.get(network) ?? 0) + 1);
  }
  const rank = ([network, count]: [string, number]): number => (network.includes(':') ? 0 : members.size) + count;
  return [...counts].sort((a, b) => rank(b) - rank(a)).map(([network]) => network);
}
