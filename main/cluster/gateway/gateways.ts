import type { ClusterInfo, TaskInfo } from '#proto/ipc/contract.ts';
import type { Credentials } from '#proto/trust/credentials.ts';
import { failedPrecondition, toStatusError } from '#proto/wire/status.ts';
import { ClusterGates } from './cluster-gates.ts';
import type { Gate, GateEnv } from './gate.ts';

export interface GatewaysEnv {
  readonly openGate: (env: GateEnv) => Promise<Gate>;
  /** Of the user whose programs go through. */
  readonly credentials: () => Promise<Credentials>;
  /** A gateway was opened or closed because somebody wanted it. */
  readonly onChange: () => void;
  readonly log: (line: string) => void;
}

/** Gateways into clusters for programs on this computer that know no TLS. Each lasts until it is closed or its cluster stops. */
export class Gateways {
  readonly #env: GatewaysEnv;
  readonly #open = new Map<string, ClusterGates>();
  #complaint = '';

  constructor(env: GatewaysEnv) {
    this.#env = env;
  }

  /** By task name; undefined when there is no gateway into that cluster. */
  addresses(cluster: string): ClusterInfo['gateway'] {
    return this.#open.get(cluster)?.addresses;
  }

  /** Resolves when there is a gate for every task whose address is known. FAILED_PRECONDITION when the cluster does not run. */
  async open(cluster: ClusterInfo): Promise<void> {
    const { id, title } = cluster;
    if (!isUp(cluster)) throw failedPrecondition(`Cluster '${title}' does not run; start it first`);
    const gates = this.#open.get(id) ?? new ClusterGates((task, to) => this.#openGate(task, to));
    this.#open.set(id, gates);
    try {
      await gates.follow(tasksOf(cluster));
    } catch (error) {
      await this.close(id);
      throw error;
    }
    this.#env.onChange();
  }

  async close(cluster: string): Promise<void> {
    await this.#close(cluster);
    this.#env.onChange();
  }

  /** These are all clusters now. */
  follow(clusters: readonly ClusterInfo[]): void {
    for (const [id, gates] of this.#open) {
      const cluster = clusters.find((each) => each.id === id);
      void this.#complain(cluster && isUp(cluster) ? gates.follow(tasksOf(cluster)) : this.#close(id));
    }
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((id) => this.#close(id)));
  }

  async #openGate(task: string, to: GateEnv['to']): Promise<Gate> {
    const { openGate, credentials, log } = this.#env;
    return openGate({ task, to, localPort: 0, credentials: await credentials(), log });
  }

  async #close(cluster: string): Promise<void> {
    const gates = this.#open.get(cluster);
    this.#open.delete(cluster);
    await gates?.close();
  }

  /** Once: it is tried again and again. */
  async #complain(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const { message } = toStatusError(error);
      if (message !== this.#complaint) this.#env.log(message);
      this.#complaint = message;
    }
  }
}

function isUp({ state }: ClusterInfo): boolean {
  return state !== 'stopped' && state !== 'stopping';
}

function tasksOf({ jobs }: ClusterInfo): readonly TaskInfo[] {
  return jobs.flatMap(({ tasks }) => tasks);
}
