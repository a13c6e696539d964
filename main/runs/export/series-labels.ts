import type { SeriesInfo } from '#proto/ipc/contract.ts';

/** A label for each series: its name, with its client before it where several clients have one of that name. */
export function seriesLabels(series: readonly Pick<SeriesInfo, 'client' | 'name'>[]): readonly string[] {
  const clients = new Map<string, number>();
  for (const { name } of series) clients.set(name, (clients.get(name) ?? 0) + 1);
  return series.map(({ client, name }) => ((clients.get(name) ?? 0) > 1 ? `${clientLabel(client)}/${name}` : name));
}

/** `worker_0` for `/job:worker/replica:0/task:0`. */
function clientLabel(client: string): string {
  const match = /^\/job:(\w+)\/replica:0\/task:(\d+)$/.exec(client);
  return match ? `${match[1]}_${match[2]}` : client;
}
