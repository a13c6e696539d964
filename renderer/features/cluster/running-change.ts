import type { TaskDraft } from '#proto/ipc/contract.ts';
import type { Draft } from './draft.ts';

/** What a change of a running cluster costs. */
export interface ChangeCost {
  /** Tasks that are started anew: what they hold is lost. `/job:ps/task:1` */
  readonly restarted: readonly string[];
  /** Tasks that are ended. */
  readonly removed: readonly string[];
}

/**
 * An address of a cluster is fixed while its tasks run: when one changes, comes or goes, all tasks are started anew. Otherwise only
 * those are that run with another engine or other cards.
 */
export function costOf(before: Draft, after: Draft): ChangeCost {
  const [old, fresh] = [tasksOf(before), tasksOf(after)];
  const removed = [...old.keys()].filter((name) => !fresh.has(name));
  const movesAddresses = removed.length > 0 || [...fresh].some(([name, task]) => isElsewhere(old.get(name), task));
  const altered = [...fresh].filter(([name, task]) => old.has(name) && (movesAddresses || isOtherwise(old.get(name), task)));
  return { restarted: altered.map(([name]) => name), removed };
}

function tasksOf({ jobs }: Draft): Map<string, TaskDraft> {
  return new Map(jobs.flatMap(({ name, tasks }) => tasks.map((task) => [`/job:${name}/task:${task.index}`, task] as const)));
}

function isElsewhere(before: TaskDraft | undefined, { machine, port }: TaskDraft): boolean {
  return before === undefined || before.machine !== machine || before.port !== port;
}

function isOtherwise(before: TaskDraft | undefined, { engine, virtualGpus }: TaskDraft): boolean {
  return before === undefined || before.engine !== engine || before.virtualGpus !== virtualGpus;
}
