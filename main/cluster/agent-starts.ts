import type { ClusterMachines } from './task-control.ts';

/** With which starts of the agents the tasks of a cluster were started: an agent that was started anew knows nothing of them. */
export class AgentStarts {
  readonly #machines: ClusterMachines;
  readonly #ids = new Map<string, string>();

  constructor(machines: ClusterMachines) {
    this.#machines = machines;
  }

  /** The agent that the machine has now is the one. */
  note(machine: string): void {
    const id = this.#now(machine);
    if (id !== undefined) this.#ids.set(machine, id);
  }

  clear(): void {
    this.#ids.clear();
  }

  /** The agent is there, and is the one. */
  isSame(machine: string): boolean {
    return this.#now(machine) !== undefined && this.#now(machine) === this.#ids.get(machine);
  }

  /** The agent is there, and is another one. */
  isNew(machine: string): boolean {
    return this.#ids.has(machine) && this.#now(machine) !== undefined && !this.isSame(machine);
  }

  /** Undefined while the machine cannot be reached. */
  #now(id: string): string | undefined {
    const machine = this.#machines.has(id) ? this.#machines.get(id) : undefined;
    return machine?.isOnline ? machine.machine?.startId : undefined;
  }
}
