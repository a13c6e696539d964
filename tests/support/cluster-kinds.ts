import type { ClusterShape } from './cluster.ts';
import type { TaskEngine } from './task-process.ts';

/** What the clusters of the conformance suite are made of. The genuine one is the judge of the others. */
export const judge = 'genuine TensorFlow';
export const clusterKinds = [judge, 'bundled', 'mixed, bundled master', 'mixed, genuine master'] as const;
export type ClusterKind = (typeof clusterKinds)[number];

const engineAt: Readonly<Record<ClusterKind, (index: number) => TaskEngine>> = {
  [judge]: () => 'tensorflow',
  bundled: () => 'bundled',
  'mixed, bundled master': (index) => (index % 2 === 0 ? 'bundled' : 'tensorflow'),
  'mixed, genuine master': (index) => (index % 2 === 0 ? 'tensorflow' : 'bundled'),
};

/** Two tasks that hold state and two that compute; the master of most cases is `/job:worker/task:0`, the third of them. */
export const standardJobs = { ps: 2, worker: 2 } as const;

/** The engine of each task when the tasks of these jobs, in this order, take turns as the kind says. */
export function enginesOf(kind: ClusterKind, jobs: ClusterShape['jobs']): (job: string, task: number) => TaskEngine {
  const order = Object.entries(jobs).flatMap(([job, tasks]) =>
    (typeof tasks === 'number' ? [...Array(tasks).keys()] : tasks).map((task) => `${job}:${task}`),
  );
  return (job, task) => engineAt[kind](order.indexOf(`${job}:${task}`));
}
