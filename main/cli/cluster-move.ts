import { failedPrecondition } from '#proto/wire/status.ts';
import { tasksOf } from './cluster-up.ts';
import { machineOf } from './lan.ts';
import { findCluster, taskNameOf, withLab } from './local-lab.ts';
import type { Terminal } from './terminal.ts';

export interface Move {
  /** Id or title of the cluster. */
  readonly name: string;
  /** `worker:1` */
  readonly task: string;
  /** Name, address or id. */
  readonly machine: string;
}

/** Puts a task on another machine, and says where everything is then. A cluster that runs goes on, with all tasks started anew. */
export function clusterMove({ name, task, machine }: Move, terminal: Terminal): Promise<void> {
  return withLab(terminal, async (lab) => {
    const { clusters, machines } = lab;
    const cluster = findCluster(lab, name);
    const { id, name: to } = machineOf(machines.now(), machine);
    const isRunning = !cluster.isStopped;
    if (isRunning && id === machines.here && machines.ownsAgent) throw failedPrecondition(NO_AGENT);
    if (isRunning) terminal.log('All tasks are started anew, and their variables are lost.');
    const before = new Map(tasksOf(cluster.info).map((each) => [each.name, each.machine]));
    const info = await clusters.move(cluster.saved.id, taskNameOf(task), id);
    const moved = tasksOf(info).filter((each) => before.get(each.name) !== each.machine);
    for (const each of moved) terminal.print(`${each.name} is on ${to}${each.address === '' ? '' : `, at ${each.address}`}`);
  });
}

const NO_AGENT = 'No agent runs on this machine, and the task would end with this command: start lanflow agent, or the app, first';
