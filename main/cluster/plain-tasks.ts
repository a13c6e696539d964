import type { ClusterInfo } from '#proto/ipc/contract.ts';
import { speaksPlain } from '#proto/trust/dialler.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * Addresses of tasks of genuine TensorFlow that other machines can reach. They know no TLS and ask nobody who he is: whoever is on
 * the LAN can use them as long as they run.
 */
export function plainTasks(clusters: readonly ClusterInfo[]): readonly string[] {
  const tasks = clusters.flatMap(({ jobs }) => jobs.flatMap((job) => job.tasks));
  return tasks.flatMap(({ engine, address }) =>
    engine === 'tensorflow' && address !== '' && !speaksPlain(address, NONE) ? [address] : [],
  );
}
