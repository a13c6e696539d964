import type { GraphDocument } from '#proto/graph-document/document.ts';

/** `ps 1, worker 2`. */
export function clusterText(cluster: GraphDocument['cluster']): string {
  return Object.entries(cluster)
    .map(([job, count]) => `${job} ${count}`)
    .join(', ');
}

const MAX_TASKS = 1000;

/** Undefined for a text that is no cluster. An empty one stands for any cluster. */
export function parseCluster(text: string): GraphDocument['cluster'] | undefined {
  const parts = text
    .split(/[,;\n]/)
    .map((part) => part.trim())
    .filter(Boolean);
  const cluster: Record<string, number> = {};
  for (const part of parts) {
    const [, job = '', count] = /^([A-Za-z][A-Za-z0-9_]*)(?:\s*[×x*:\s]\s*(\d+))?$/.exec(part) ?? [];
    const tasks = Number(count ?? 1);
    if (job === '' || Object.hasOwn(cluster, job) || tasks < 1 || tasks > MAX_TASKS) return undefined;
    cluster[job] = tasks;
  }
  return cluster;
}
