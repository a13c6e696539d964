import type { OpeningInfo } from '#proto/ipc/contract.ts';
import { failedPrecondition } from '#proto/wire/status.ts';
import type { PlacedTask } from '../placed-task.ts';
import type { ClusterMachines, TaskControl } from '../task-control.ts';
import { checkedNetwork, type WantedOpening } from './open-network.ts';
import { openingInfos } from './opening-info.ts';

/** Opens the tasks of one cluster to machines that know no TLS, and closes them. The tasks end what is open in time by themselves. */
export class ClusterOpenings {
  readonly #machines: ClusterMachines;
  readonly #control: TaskControl;

  constructor(machines: ClusterMachines, control: TaskControl) {
    this.#machines = machines;
    this.#control = control;
  }

  infos(tasks: readonly PlacedTask[]): readonly OpeningInfo[] {
    return openingInfos(
      tasks.map((task) => ({
        name: task.name,
        known: this.#control.known(task),
        machine: this.#machines.has(task.draft.machine) ? this.#machines.get(task.draft.machine) : undefined,
      })),
    );
  }

  /**
   * In place of an earlier opening. Resolves when all tasks that run say that they are open; rejects with the first one's error, while
   * others may be open. FAILED_PRECONDITION when there is none that could be.
   */
  async open(tasks: readonly PlacedTask[], { network, seconds }: WantedOpening): Promise<void> {
    const wanted = { network: checkedNetwork(network), seconds };
    const fitting = tasks.filter((task) => task.draft.engine === 'bundled' && this.#runs(task));
    const awaited = tasks.filter((task) => !this.#runs(task) && this.#canEnd(task));
    if (fitting.length === 0) {
      throw failedPrecondition('There is no task that could be opened: those of genuine TensorFlow are open anyway, and others do not run');
    }
    await everyOne([
      ...fitting.map((task) => this.#control.setOpening(task, wanted)),
      // They would come back with the earlier one.
      ...awaited.map((task) => this.#control.setOpening(task, undefined)),
    ]);
  }

  /** Ends what has an end. Resolves when all tasks say so; rejects with the first one's error. */
  async close(tasks: readonly PlacedTask[]): Promise<void> {
    const open = tasks.filter((task) => this.#canEnd(task));
    await everyOne(open.map((task) => this.#control.setOpening(task, undefined)));
  }

  /** It is open for a time, or will be once it is back. */
  #canEnd(task: PlacedTask): boolean {
    return this.#control.known(task)?.status.opening.some(({ remaining }) => remaining >= 0) ?? false;
  }

  #runs(task: PlacedTask): boolean {
    return (this.#control.known(task)?.status.startedAt ?? 0) > 0;
  }
}

/** Nothing is left halfway when it rejects. */
async function everyOne(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
