import type { GraphDocument } from '#proto/graph-document/document.ts';

/** What a node can be pinned to in the cluster that the document wants: its tasks, and their cards. */
export function devicesOf({ cluster, virtualGpus }: Pick<GraphDocument, 'cluster' | 'virtualGpus'>): readonly string[] {
  const tasks = Object.entries(cluster).flatMap(([job, count]) => Array.from({ length: count }, (_, task) => `/job:${job}/task:${task}`));
  const cards = Array.from({ length: virtualGpus }, (_, card) => `/device:GPU:${card}`);
  return [...tasks, ...tasks.flatMap((task) => cards.map((card) => task + card)), ...cards];
}
