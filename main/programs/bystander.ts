import type { Outcome, TaskContext } from '../client/index.ts';

/** The client of a task for which a program has no work: the cluster is larger than it wants. */
export async function bystander({ job, index, log }: TaskContext): Promise<Outcome> {
  log(`/job:${job}/task:${index} has no part in this program`);
  return {};
}
