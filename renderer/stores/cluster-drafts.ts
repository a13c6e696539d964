import type { ClusterDraft, ClusterInfo, JobDraft } from '#proto/ipc/contract.ts';
import { DEMO, runProgram } from './actions.ts';
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
  await createCluster(app, psAndWorkers(app, machines, Math.max(1, machines.length - 1)));
}

/** The tasks of the demo. */
const DEMO_WORKERS = 2;
export const DEMO_MACHINES = 1 + DEMO_WORKERS;

/** Runs the demo on the first of these machines, on a cluster that is formed for it unless there is one. How it starts is shown there. */
export async function demoOn(app: App, machines: readonly string[]): Promise<void> {
  const draft = psAndWorkers(app, machines.slice(0, DEMO_MACHINES), DEMO_WORKERS);
  await app.toasts.guard(async () => {
    const { id: cluster, state } =
      (app.clusters.value ?? []).find((each) => isLike(each, draft)) ?? (await app.core.call('clusters.save', draft));
    await app.clusters.load();
    app.router.go('cluster', cluster);
    if (state === 'stopped') await app.core.call('clusters.start', { cluster });
    await runProgram(app, DEMO, cluster);
  });
}

/** The same tasks are on the same machines. */
function isLike(cluster: Pick<ClusterInfo, 'jobs'>, draft: ClusterDraft): boolean {
  const places = ({ jobs }: Pick<ClusterDraft, 'jobs'>) =>
    JSON.stringify(jobs.map(({ name, tasks }) => [name, tasks.map(({ index, machine, engine }) => [index, machine, engine])]));
  return places(cluster) === places(draft);
}

function psAndWorkers({ i18n }: App, machines: readonly string[], workers: number): ClusterDraft {
  const title = i18n.text('machines.clusterTitle', { count: machines.length });
  const jobs = [
    ['ps', 1],
    ['worker', workers],
  ] as const;
  return { title, jobs: spreadJobs(jobs, machines) };
}
