import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { type LogLine, TrustSchema } from '#proto/generated/lanflow/agent_pb.ts';
import type { MachineInfo, ProbeResult } from '#proto/ipc/contract.ts';
import { notFound } from '#proto/wire/status.ts';
import { commonHost, type MachinePlace } from './common-host.ts';
import type { KnownTask } from './known-tasks.ts';
import type { LabAuthority } from './lan/authority.ts';
import { Lan, type ProbeOptions } from './lan/lan.ts';
import type { MachineMemory } from './lan/machine-record.ts';
import { Members } from './lan/members.ts';
import { bringNews } from './lan/news.ts';
import { LocalAgent } from './local-agent.ts';
import { installableInfo, machineInfo, strangerInfo } from './machine-info.ts';
import { MachineLink, type MachineLinkListener } from './machine-link.ts';
import type { PrivateAgentOptions } from './private-agent.ts';

export interface MachinesEnv extends PrivateAgentOptions {
  /** Id of this machine. */
  readonly id: string;
  readonly version: string;
  readonly lab: LabAuthority;
  readonly memory: MachineMemory;
  /** Off: nothing is sent to the LAN before the user asks for it. */
  readonly isDiscovering: boolean;
}

/** Hears of all machines. */
export interface MachinesListener {
  onMachines(): void;
  onTasks(): void;
  onLines(task: KnownTask, lines: readonly LogLine[]): void;
  /** The user belongs to a lab now, or to another one; or what there is to know of it has changed. */
  onLab?(): void;
  /** Something else is in the way of finding machines now, or nothing. */
  onProblem?(): void;
}

export type { ProbeOptions } from './lan/lan.ts';

/** Nobody waits longer without being told for what. */
const PATIENCE_MS = 4000;
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/**
 * All machines that tasks can run on, each by way of its agent, and those that could be among them. This one is there from the start: its
 * agent is looked for, or started, at once. `close` lets go of all agents; a private one that nobody else uses ends then, with its
 * tasks.
 */
export class Machines {
  /** Id of this machine. */
  readonly here: string;
  readonly lan: Lan;
  readonly #lab: LabAuthority;
  readonly #local: LocalAgent;
  readonly #own: MachineLink;
  readonly #members: Members;
  readonly #listeners: Set<MachinesListener>;

  private constructor(env: MachinesEnv, parts: { lan: Lan; members: Members; listeners: Set<MachinesListener> }) {
    this.here = env.id;
    this.lan = parts.lan;
    this.#lab = env.lab;
    this.#listeners = parts.listeners;
    this.#local = new LocalAgent(env);
    this.#members = parts.members;
    const { log } = env;
    this.#own = new MachineLink({
      id: env.id,
      connect: (signal) => this.#local.connect(signal),
      log,
      listener: linkListener(parts.listeners),
    });
  }

  static async open(env: MachinesEnv): Promise<Machines> {
    const { id: here, version, lab, memory, isDiscovering, log } = env;
    const listeners = new Set<MachinesListener>();
    const lan = await Lan.open(
      { here, version, lab, isDiscovering, log },
      {
        onMachines: () => {
          members?.update();
          for (const each of listeners) each.onMachines();
        },
        onLab: () => {
          for (const each of listeners) each.onLab?.();
        },
        onProblem: () => {
          for (const each of listeners) each.onProblem?.();
        },
      },
    );
    let members: Members | undefined;
    members = await Members.open({ lan, lab, memory, log, listener: linkListener(listeners) });
    return new Machines(env, { lan, members, listeners });
  }

  /** The agent of this machine was started here, and ends with this process unless others use it. */
  get ownsAgent(): boolean {
    return this.#local.isOwn;
  }

  /** Waits a while until what is to be known at the start is known. */
  async list(): Promise<readonly MachineInfo[]> {
    const known = Promise.all(this.members.map((link) => link.whenKnown()));
    await Promise.race([known, delay(PATIENCE_MS, undefined, { ref: false })]);
    return this.now();
  }

  /** As far as is known now: this one, those of the lab, other agents, and those without one, each by name. */
  now(): readonly MachineInfo[] {
    const { lan } = this;
    const links = this.members.filter(({ id, isOnline }) => isOnline || id === this.here || this.#isOwn(id));
    const linked = new Set(links.map(({ id }) => id));
    const strangers = lan.agents.flatMap((agent) => {
      const membership = lan.membership(agent);
      return linked.has(agent.machine) || membership === 'own' ? [] : [strangerInfo(agent, membership)];
    });
    const infos = links.map((link) => this.#infoOf(link));
    const groups = [
      infos.filter(({ isThis }) => isThis),
      infos.filter(({ isThis }) => !isThis),
      strangers,
      lan.installable.map(installableInfo),
    ];
    return groups.flatMap((group) => group.sort(byName));
  }

  /** NOT_FOUND when no machine of the lab has this id. */
  get(id: string): MachineLink {
    const link = id === this.here ? this.#own : this.#members.links.get(id);
    if (link) return link;
    throw notFound(`There is no machine '${id}'; place the task on another one`);
  }

  has(id: string): boolean {
    return id === this.here || this.#members.links.has(id);
  }

  /** Hears everything until the returned function is called. */
  listen(listener: MachinesListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Rejects as `Lan.add` does. */
  async add(address: string): Promise<MachineInfo> {
    return this.#known((await this.lan.add(address)).machine);
  }

  /** Resolves to what was found until then when the signal aborts. */
  async probe(options: ProbeOptions): Promise<ProbeResult> {
    const { found, ...numbers } = await this.lan.probe(options);
    return { ...numbers, found: await Promise.all(found.map(({ machine }) => this.#known(machine))) };
  }

  /** Makes a machine one of the lab; resolves when its agent has answered as one, or after a while. Rejects as `Lan.pair` does. */
  async pair(id: string, pin: string): Promise<MachineInfo> {
    await this.lan.pair(id, pin);
    return this.#known(id);
  }

  /** Off the list; one of the lab is expelled from it. Rejects as `LabAuthority.expel` does. */
  async remove(id: string): Promise<void> {
    if (this.#members.links.has(id)) await this.#members.remove(id);
    this.lan.forget(id);
  }

  /** Gives this machine a certificate of the lab, or the lab's news, so that its tasks can talk to those of others. */
  async joinLab(): Promise<void> {
    const own = this.#own;
    const { id, isOwner } = await this.#lab.info();
    if (own.machine?.lab === id) {
      // Others have the lab as it was when they were invited: the machine may know more.
      if (isOwner) await bringNews(own, { lab: this.#lab, proof: 'local' });
      return;
    }
    const { request } = await own.agent.requestCertificate();
    await own.agent.setTrust(create(TrustSchema, await this.#lab.admit(this.here, request, 'local')));
  }

  /** Under which host the tasks of a machine are reached by those on all of these machines. */
  hostOf(id: string, among: readonly string[]): string {
    if (among.every((each) => each === this.here)) return '127.0.0.1';
    const others = among.filter((each) => each !== id).map((each) => this.#placeOf(each));
    return commonHost(this.#placeOf(id), others) ?? id;
  }

  /** The machine at this host; the host itself when none is. */
  idAt(host: string): string {
    if (LOOPBACK.includes(host) || host === hostname()) return this.here;
    const info = this.now().find(({ id, name, addresses }) => id === host || name === host || addresses.includes(host));
    return info?.id ?? host;
  }

  async close(): Promise<void> {
    await Promise.all([this.#own.close(), this.#members.close(), this.lan.close()]);
    await this.#local.close();
  }

  /** Those that tasks can be started on, now or when they are there again. */
  get members(): readonly MachineLink[] {
    return [this.#own, ...this.#members.links.values()];
  }

  /** One that is away belongs to the lab unless it is heard to belong to another one by now. */
  #isOwn(id: string): boolean {
    const found = this.lan.find(id);
    return !found?.isHere || this.lan.membership(found) === 'own';
  }

  #infoOf(link: MachineLink): MachineInfo {
    const { id } = link;
    const [addresses, port] = [this.#members.addressesOf(id), this.#members.portOf(id)];
    return machineInfo(link, { isThis: id === this.here, name: this.#members.nameOf(id), addresses, port });
  }

  #placeOf(id: string): MachinePlace {
    const load = this.has(id) ? this.get(id).load : undefined;
    return { networks: load?.network ?? [], addresses: this.#members.addressesOf(id) };
  }

  async #known(id: string): Promise<MachineInfo> {
    const link = this.#members.links.get(id);
    await Promise.race([link?.whenKnown(), delay(PATIENCE_MS, undefined, { ref: false })]);
    const info = this.now().find((each) => each.id === id);
    if (info) return info;
    throw notFound(`Machine '${id}' is gone again`);
  }
}

/** As people count: lab-2 before lab-10. */
function byName(a: MachineInfo, b: MachineInfo): number {
  return a.name.localeCompare(b.name, 'en', { numeric: true }) || (a.id < b.id ? -1 : 1);
}

function linkListener(listeners: ReadonlySet<MachinesListener>): MachineLinkListener {
  return {
    onMachine: () => {
      for (const each of listeners) each.onMachines();
    },
    onTasks: () => {
      for (const each of listeners) each.onTasks();
    },
    onLines: (task, lines) => {
      for (const each of listeners) each.onLines(task, lines);
    },
  };
}
