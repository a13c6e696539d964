import type { ClusterDraft } from '#proto/ipc/contract.ts';
import { failedPrecondition, invalidArgument } from '#proto/wire/status.ts';
import type { PlacedTask } from './placed-task.ts';
import type { ClusterMachines } from './task-control.ts';

/** Throws INVALID_ARGUMENT, saying what is wrong, when a cluster cannot be formed like that. */
export function checkDraft({ jobs }: Pick<ClusterDraft, 'jobs'>): void {
  if (!jobs.some(({ tasks }) => tasks.length > 0)) throw invalidArgument('The cluster has no task; place at least one');
  refuseTwice(
    jobs.map(({ name }) => name),
    (name) => `Two jobs are called '${name}'`,
  );
  for (const { name, tasks } of jobs) {
    if (tasks.length === 0) throw invalidArgument(`Job '${name}' has no task; place one or remove the job`);
    refuseTwice(
      tasks.map(({ index }) => index),
      (index) => `Job '${name}' has task ${index} twice`,
    );
  }
  const places = jobs.flatMap(({ tasks }) => tasks.filter(({ port }) => port !== 0).map(({ machine, port }) => `${machine}:${port}`));
  refuseTwice(
    places,
    (place) => `Two tasks have port ${place.slice(place.lastIndexOf(':') + 1)} of the same machine; 0 chooses a free one`,
  );
}

/**
 * Throws FAILED_PRECONDITION, saying what is missing where, when a machine lacks the engine of a task. What a machine does not tell,
 * because it still looks or its agent is older, shows when the task starts.
 */
export function checkEngines(tasks: readonly PlacedTask[], machines: Pick<ClusterMachines, 'get'>): void {
  for (const { name, draft } of tasks) {
    const { id, machine } = machines.get(draft.machine);
    const problem = machine?.engine.find((engine) => engine.name === draft.engine)?.problem;
    if (!problem) continue;
    throw failedPrecondition(
      `${machine?.hostName ?? id} cannot run ${name} with the engine '${draft.engine}'; choose another engine or machine for it. ${problem}`,
    );
  }
}

function refuseTwice<T>(values: readonly T[], message: (value: T) => string): void {
  const twice = values.find((value, i) => values.indexOf(value) !== i);
  if (twice !== undefined) throw invalidArgument(message(twice));
}
