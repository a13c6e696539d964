import { randomBytes } from 'node:crypto';
import type { TaskPorts } from '#proto/ipc/contract.ts';
import { ClusterSpec } from '../client/index.ts';
import type { KnownTask } from '../machines/known-tasks.ts';
import type { Formation, PlacedTask } from './placed-task.ts';
import { reservePorts } from './reserve-ports.ts';
import type { ClusterMachine, ClusterMachines } from './task-control.ts';

export interface FormationEnv {
  readonly machines: ClusterMachines;
  /** As the user wants them now. */
  readonly ports: () => Promise<TaskPorts>;
}

/**
 * Chooses an address for each task and keeps its port free until the task starts. A task that stays where it was in `before` keeps
 * its port. Rejects with ALREADY_EXISTS, naming it, when a wanted port is in use, and with RESOURCE_EXHAUSTED when too few are free.
 */
export async function chooseFormation(
  tasks: readonly PlacedTask[],
  { machines, ports: allowed }: FormationEnv,
  before?: Formation,
): Promise<Formation> {
  const range = await allowed();
  const ids = [...new Set(tasks.map(({ draft }) => draft.machine))];
  const ports = new Map<string, number>();
  await Promise.all(
    ids.map(async (id) => {
      const here = tasks.filter(({ draft }) => draft.machine === id);
      const stays = new Map(here.map((task) => [task.id, keptPort(task, machines, before)]));
      const free = here.filter((task) => stays.get(task.id) === undefined);
      const chosen = await reserveOn(
        machines.get(id),
        free.map(({ draft }) => draft.port),
        range,
      );
      for (const [task, port] of stays) if (port !== undefined) ports.set(task, port);
      for (const [i, task] of free.entries()) ports.set(task.id, chosen[i] ?? 0);
    }),
  );
  const addresses: Record<string, Record<number, string>> = {};
  for (const { job, draft, id } of tasks) {
    const host = machines.hostOf(draft.machine, ids);
    addresses[job] = { ...addresses[job], [draft.index]: `${host.includes(':') ? `[${host}]` : host}:${ports.get(id)}` };
  }
  return { startId: randomBytes(8).toString('hex'), spec: new ClusterSpec(addresses) };
}

async function reserveOn({ agent, machine, id }: ClusterMachine, wanted: readonly number[], range: TaskPorts): Promise<readonly number[]> {
  if (wanted.length === 0) return [];
  return reservePorts(range, { wanted, reserve: (ports) => agent.reservePorts(ports), machine: machine?.hostName ?? id });
}

/** As the agents tell it of a task that somebody else has started. */
export function formationOf({ setup }: KnownTask): Formation {
  return { startId: setup.startId, spec: ClusterSpec.fromTfConfig(JSON.stringify({ cluster: JSON.parse(setup.spec) })).cluster };
}

/** Of a task that runs on that machine now, and does not ask for another port. */
function keptPort({ id, name, draft }: PlacedTask, machines: ClusterMachines, before: Formation | undefined): number | undefined {
  const address = before?.spec.tasks.find((task) => task.name === name)?.address;
  const port = Number(/\d+$/.exec(address ?? '')?.[0]);
  const isThere = machines.get(draft.machine).tasks.has(id);
  return isThere && port > 0 && (draft.port === 0 || draft.port === port) ? port : undefined;
}
