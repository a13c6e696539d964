import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '#proto/generated/lanflow/agent_pb.ts';
import type { MachineInfo } from '#proto/ipc/contract.ts';
import { notFound } from '#proto/wire/status.ts';
import type { KnownTask } from './known-tasks.ts';
import { LocalAgent } from './local-agent.ts';
import { machineInfo } from './machine-info.ts';
import { MachineLink, type MachineLinkListener } from './machine-link.ts';
import type { PrivateAgentOptions } from './private-agent.ts';

export interface MachinesEnv extends PrivateAgentOptions {
  /** Id of this machine. */
  readonly id: string;
}

/** Hears of all machines. */
export interface MachinesListener {
  onMachines(): void;
  onTasks(): void;
  onLines(task: KnownTask, lines: readonly LogLine[]): void;
}

/** Nobody waits longer without being told for what. */
const PATIENCE_MS = 4000;
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/**
 * All machines that tasks can run on, each by way of its agent. This one is there from the start: its agent is looked for, or
 * started, at once. `close` lets go of all agents; a private one that nobody else uses ends then, with its tasks.
 */
export class Machines {
  /** Id of this machine. */
  readonly here: string;
  readonly #local: LocalAgent;
  readonly #links: ReadonlyMap<string, MachineLink>;
  readonly #listeners = new Set<MachinesListener>();

  constructor({ id, ...options }: MachinesEnv) {
    this.here = id;
    this.#local = new LocalAgent(options);
    const listener: MachineLinkListener = {
      onMachine: () => this.#tell((each) => each.onMachines()),
      onTasks: () => this.#tell((each) => each.onTasks()),
      onLines: (task, lines) => this.#tell((each) => each.onLines(task, lines)),
    };
    this.#links = new Map([[id, new MachineLink({ id, connect: () => this.#local.connect(), log: options.log, listener })]]);
  }

  /** The agent of this machine was started here, and ends with this process unless others use it. */
  get ownsAgent(): boolean {
    return this.#local.isOwn;
  }

  /** Waits a while until what is to be known at the start is known. */
  async list(): Promise<readonly MachineInfo[]> {
    const known = Promise.all([...this.#links.values()].map((link) => link.whenKnown()));
    await Promise.race([known, delay(PATIENCE_MS, undefined, { ref: false })]);
    return this.now();
  }

  /** As far as is known now. */
  now(): readonly MachineInfo[] {
    return [...this.#links.values()].map((link) => machineInfo(link, link.id === this.here));
  }

  /** NOT_FOUND when no machine has this id. */
  get(id: string): MachineLink {
    const link = this.#links.get(id);
    if (link) return link;
    throw notFound(`There is no machine '${id}'; place the task on another one`);
  }

  has(id: string): boolean {
    return this.#links.has(id);
  }

  /** Hears everything until the returned function is called. */
  listen(listener: MachinesListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Under which host the tasks of a machine are reached by those on all of these machines. */
  hostOf(id: string, among: readonly string[]): string {
    if (among.every((each) => each === this.here)) return '127.0.0.1';
    const addresses = this.#links.get(id)?.load?.address ?? [];
    return addresses.find((address) => !address.includes(':')) ?? addresses[0] ?? id;
  }

  /** The machine at this host; the host itself when none is. */
  idAt(host: string): string {
    if (LOOPBACK.includes(host) || host === hostname()) return this.here;
    const info = this.now().find(({ id, name, addresses }) => id === host || name === host || addresses.includes(host));
    return info?.id ?? host;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#links.values()].map((link) => link.close()));
    await this.#local.close();
  }

  #tell(tell: (listener: MachinesListener) => void): void {
    for (const listener of this.#listeners) tell(listener);
  }
}
