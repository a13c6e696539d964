import type { Task } from '#proto/generated/lanflow/agent_pb.ts';
import { Code, deadlineExceeded, StatusError, toCode, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { TaskSetup } from '../machines/agent-client.ts';
import type { KnownTask } from '../machines/known-tasks.ts';
import type { MachineLink } from '../machines/machine-link.ts';
import type { Changed } from './changed.ts';
import type { WantedOpening } from './openings/open-network.ts';
import type { PlacedTask } from './placed-task.ts';

/** A machine as clusters use it. */
export type ClusterMachine = Pick<
  MachineLink,
  'id' | 'isOnline' | 'error' | 'tasksGoOn' | 'machine' | 'load' | 'tasks' | 'agent' | 'learn' | 'forget'
>;

/** The machines as clusters see them. */
export interface ClusterMachines {
  has(id: string): boolean;
  /** NOT_FOUND when there is none. */
  get(id: string): ClusterMachine;
  /** Id of this machine. */
  readonly here: string;
  /** Makes this machine a member of the user's lab, so that its tasks can talk to those of other machines. */
  joinLab(): Promise<void>;
  /** Under which host the tasks of a machine are reached by those on all of these machines. */
  hostOf(id: string, among: readonly string[]): string;
}

export interface StartOptions {
  readonly signal: AbortSignal;
  /** The agent has been told to start it. */
  readonly onTold: () => void;
}

/** An agent that has just been lost is started again, or found again, within this time, also on a busy machine. */
const ONLINE_LIMIT_MS = 10_000;

/** A task that runs looks at its opening every second, and its agent asks it every second. */
const OPENING_LIMIT_MS = 6000;
/** What passes until it is told that an opening has begun. */
const TELLING_MS = 10_000;

/** What is asked of the agents for the tasks of one cluster. */
export class TaskControl {
  readonly #machines: ClusterMachines;
  readonly #changed: Changed;

  /** `changed` tells whenever an agent has told something. */
  constructor(machines: ClusterMachines, changed: Changed) {
    this.#machines = machines;
    this.#changed = changed;
  }

  /** What the agent of its machine has told of it; undefined when it has no such task. */
  known({ id, draft: { machine } }: PlacedTask): KnownTask | undefined {
    return this.#machines.has(machine) ? this.#machines.get(machine).tasks.get(id) : undefined;
  }

  /** Starts it, or another one in its place. Resolves when it listens; rejects with the reason when it does not come up. */
  async start(task: PlacedTask, setup: TaskSetup, { signal, onTold }: StartOptions): Promise<void> {
    const told = await this.#tell(task, setup, signal);
    onTold();
    this.#machines.get(task.draft.machine).learn(told);
    for (;;) {
      const machine = await this.online(task.draft.machine, signal);
      await this.#changed.until(() => !machine.isOnline || this.#isUp(task) || undefined, signal);
      // The connection to a busy machine may be lost for a moment, of which its task knows nothing.
      if (machine.isOnline) return;
    }
  }

  /** Tells the agent to start it; once more when the connection was lost in that moment. Then it may run already, and is replaced. */
  async #tell({ id, draft }: PlacedTask, setup: TaskSetup, signal: AbortSignal): Promise<Task> {
    const machine = await this.online(draft.machine, signal);
    const { agent } = machine;
    const call = (to: typeof agent): Promise<Task> => (machine.tasks.has(id) ? to.restartTask(id, setup) : to.startTask(setup));
    try {
      return await call(agent);
    } catch (error) {
      const isLost = !machine.isOnline || machine.agent !== agent;
      if (toStatusError(error).code !== Code.UNAVAILABLE || !isLost) throw error;
      return call((await this.online(draft.machine, signal)).agent);
    }
  }

  /** Resolves when its process is gone, to nothing; or to the reason why that is not known. */
  async stop(task: PlacedTask): Promise<string | undefined> {
    try {
      const machine = this.#machines.get(task.draft.machine);
      await machine.agent.stopTask(task.id);
      machine.forget(task.id);
      return undefined;
    } catch (error) {
      const { code, message } = toStatusError(error);
      // The machine is gone from the list, and what ran on it is nobody's.
      return code === Code.NOT_FOUND ? undefined : `It may still run: ${message}`;
    }
  }

  /** Waits a while for a machine that cannot be reached; rejects with the reason when it does not come. */
  async online(id: string, signal: AbortSignal): Promise<ClusterMachine> {
    const machine = this.#machines.get(id);
    const limit = new AbortController();
    const give = (): void => limit.abort();
    const timer = setTimeout(give, ONLINE_LIMIT_MS);
    signal.addEventListener('abort', give, { once: true });
    try {
      return await this.#changed.until(() => (machine.isOnline ? machine : undefined), limit.signal);
    } catch (error) {
      if (signal.aborted) throw error;
      const name = machine.machine?.hostName ?? (id === this.#machines.here ? 'This machine' : 'The machine');
      throw unavailable(`${name} cannot be reached: ${machine.error?.message}`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', give);
    }
  }

  async disturb({ id, draft }: PlacedTask, how: 'kill' | 'pause' | 'resume'): Promise<void> {
    const machine = this.#machines.get(draft.machine);
    machine.learn(await machine.agent.disturbTask(id, how));
  }

  async setRestart({ id, draft }: PlacedTask): Promise<void> {
    const machine = this.#machines.get(draft.machine);
    machine.learn(await machine.agent.setRestart(id, draft.restart ?? false));
  }

  /** Opens it to a network in plain text for a time, or closes it. Resolves when the task itself says so. */
  async setOpening(task: PlacedTask, wanted: WantedOpening | undefined): Promise<void> {
    const machine = this.#machines.get(task.draft.machine);
    machine.learn(await machine.agent.setOpening(task.id, wanted));
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), OPENING_LIMIT_MS);
    try {
      await this.#changed.until(() => this.#isOpenAs(task, wanted) || undefined, limit.signal);
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      const state = wanted ? `open to ${wanted.network}` : 'closed';
      throw deadlineExceeded(`${task.name} does not say that it is ${state}: see whether it answers, and its log`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  #isOpenAs(task: PlacedTask, wanted: WantedOpening | undefined): boolean {
    const { error } = this.#machines.get(task.draft.machine);
    if (error) throw error;
    const openings = this.known(task)?.status.opening ?? [];
    if (!wanted) return !openings.some(({ remaining }) => remaining >= 0);
    const all = wanted.seconds * 1000;
    return openings.some(({ network, remaining }) => network === wanted.network && remaining > all - TELLING_MS && remaining <= all);
  }

  #isUp(task: PlacedTask): boolean {
    const status = this.known(task)?.status;
    if (!status) throw unavailable(`${task.name} was stopped by somebody else`);
    if (status.state === 'lost') throw new StatusError(toCode(status.code), `${task.name}: ${status.reason}`);
    return status.state === 'running' || status.state === 'paused';
  }
}
