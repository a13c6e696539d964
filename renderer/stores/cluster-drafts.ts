import type { ClusterDraft, JobDraft } from '#proto/ipc/contract.ts';
import type { App } from './app.ts';

/** Jobs of so many tasks each, put on these machines in turn, with ports that are chosen at the start. */
export function spreadJobs(jobs: readonly (readonly [name: string, tasks: number])[], machines: readonly string[]): JobDraft[] {
  let placed = 0;
  const nextMachine = (): string => machines[placed++ % machines.length] ?? '';
  return jobs.map(([name, tasks]) => ({
    name,
    tasks: Array.from({ length: tasks }, (_, index) => ({ index, machine: nextMachine(), engine: 'bundled', port: 0, virtualGpus: 0 })),
  }));
}

/** Keeps a new cluster and shows it. */
export async function createCluster(app: App, draft: ClusterDraft): Promise<void> {
  await app.toasts.guard(async () => {
    const { id } = await app.core.call('clusters.save', draft);
    await app.clusters.load();
    app.router.go('cluster', id);
  });
}

/** A cluster of a parameter server on the first of these machines and a worker on each other one. Nothing runs yet. */
export async function formCluster(app: App, machines: readonly string[]): Promise<void> {
  const workers = Math.max(1, machines.length - 1);
  const title = app.i18n.text('machines.clusterTitle', { count: machines.length });
  await createCluster(app, {
    title,
    jobs: spreadJobs(
      [
        ['ps', 1],
        ['worker', workers],
      ],
      machines,
    ),
  });
}
