import type { TaskInfo } from '#proto/ipc/contract.ts';
import { speaksPlain } from '#proto/trust/dialler.ts';
import { addressOf, type HostPort, parseAddress } from '../../client/session/channel.ts';
import type { Gate } from './gate.ts';

/** Opens a gate to a task; `to` tells where that is whenever somebody connects. */
export type OpenTaskGate = (task: string, to: () => HostPort) => Promise<Gate>;

const NONE: ReadonlySet<string> = new Set();

/** The gates of one cluster: one for each task that speaks TLS, at a local port that stays wherever the task goes. */
export class ClusterGates {
  readonly #open: OpenTaskGate;
  readonly #gates = new Map<string, TaskGate>();
  #tasks: readonly TaskInfo[] = [];

  constructor(open: OpenTaskGate) {
    this.#open = open;
  }

  /** `host:port` by task name, of all tasks that can be reached: those that speak plain text are reached where they are. */
  get addresses(): Readonly<Record<string, string>> {
    const addresses = this.#tasks.map((task) => [task.name, speaksTls(task) ? this.#gates.get(task.name)?.local : task.address] as const);
    return Object.fromEntries(addresses.flatMap(([name, address]) => (address ? [[name, address]] : [])));
  }

  /** These are the tasks now. Resolves when all gates are open; one that cannot be opened rejects, and is tried again the next time. */
  async follow(tasks: readonly TaskInfo[]): Promise<void> {
    this.#tasks = tasks;
    const wanted = tasks.filter(speaksTls);
    const gone = [...this.#gates.keys()].filter((name) => !wanted.some((task) => task.name === name));
    const closed = gone.map((name) => this.#close(name));
    const opened = wanted.map(({ name, address }) => this.#aim(name, parseAddress(address)));
    await Promise.all([...closed, ...opened]);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#gates.keys()].map((name) => this.#close(name)));
  }

  /** A task whose address is not known, because it is being started or was lost, keeps its gate. */
  async #aim(name: string, to: HostPort | undefined): Promise<void> {
    const known = this.#gates.get(name);
    if (known && to) known.to = to;
    const gate = known ?? (to && new TaskGate(to, (where) => this.#open(name, where)));
    if (!gate) return;
    this.#gates.set(name, gate);
    try {
      await gate.opened;
    } catch (error) {
      if (this.#gates.get(name) === gate) this.#gates.delete(name);
      throw error;
    }
  }

  async #close(name: string): Promise<void> {
    const gate = this.#gates.get(name);
    this.#gates.delete(name);
    await gate?.close();
  }
}

class TaskGate {
  to: HostPort;
  /** `127.0.0.1:port`; empty until it is open. */
  local = '';
  readonly opened: Promise<Gate>;

  constructor(to: HostPort, open: (to: () => HostPort) => Promise<Gate>) {
    this.to = to;
    this.opened = open(() => this.to).then((gate) => {
      this.local = addressOf(gate.target);
      return gate;
    });
  }

  async close(): Promise<void> {
    // Why it did not open is told to who opened it.
    const gate = await this.opened.catch(() => undefined);
    await gate?.close();
  }
}

function speaksTls({ engine, address }: TaskInfo): boolean {
  return engine === 'bundled' && !speaksPlain(address, NONE);
}
