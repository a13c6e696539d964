import { setTimeout as delay } from 'node:timers/promises';
import { secureDial } from '#proto/trust/dialler.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { type AgentClient, GrpcAgentClient } from '../agent-client.ts';
import { MachineLink, type MachineLinkListener } from '../machine-link.ts';
import type { LabAuthority } from './authority.ts';
import { type AgentPlace, firstOpen, targetOf } from './hello.ts';
import { LabExchange } from './lab-exchange.ts';
import type { Lan } from './lan.ts';
import type { MachineMemory, MachineRecord } from './machine-record.ts';
import { bringNews } from './news.ts';

export interface MembersEnv {
  readonly lan: Lan;
  readonly lab: LabAuthority;
  readonly memory: MachineMemory;
  readonly log: (line: string) => void;
  readonly listener: MachineLinkListener;
}

/** What others have changed in the lab, or want of it, is asked for this often, besides whenever a machine is dialled. */
const EXCHANGE_MS = 60_000;
const LAST_NEWS_MS = 2000;

/** The other machines of the lab, each with a connection to its agent; those that are away are remembered. */
export class Members {
  readonly #env: MembersEnv;
  readonly #links = new Map<string, MachineLink>();
  readonly #closing = new AbortController();
  readonly #exchange: LabExchange;
  readonly #timer: NodeJS.Timeout;
  readonly #welcomes = new Set<Promise<void>>();
  #records: ReadonlyMap<string, MachineRecord>;
  #told: string;
  #telling: Promise<unknown> = Promise.resolve();

  private constructor(env: MembersEnv, records: readonly MachineRecord[]) {
    this.#env = env;
    this.#records = new Map(records.map((record) => [record.id, record]));
    this.#told = env.lan.revocations;
    const { lab, lan, log } = env;
    this.#exchange = new LabExchange({ lab, log, signal: this.#closing.signal, onNews: () => lan.refresh() });
    this.#timer = setInterval(() => void this.#exchangeWithAll(), EXCHANGE_MS).unref();
    this.update();
  }

  static async open(env: MembersEnv): Promise<Members> {
    return new Members(env, await env.memory.read());
  }

  get links(): ReadonlyMap<string, MachineLink> {
    return this.#links;
  }

  /** As it was called last. */
  nameOf(id: string): string | undefined {
    return this.#env.lan.find(id)?.title ?? this.#records.get(id)?.name;
  }

  addressesOf(id: string): readonly string[] {
    return this.#env.lan.find(id)?.addresses ?? this.#records.get(id)?.addresses ?? [];
  }

  portOf(id: string): number {
    return this.#env.lan.find(id)?.port ?? this.#records.get(id)?.port ?? 0;
  }

  /** Connects to machines that are new to the lab, lets go of those that were removed from it; the rest hears of what was revoked. */
  update(): void {
    const { lan } = this.#env;
    for (const agent of lan.agents) if (lan.membership(agent) === 'own') this.#connect(agent.machine);
    for (const id of this.#records.keys()) if (!lan.isExpelled(id)) this.#connect(id);
    for (const [id, link] of this.#links) {
      if (!lan.isExpelled(id)) continue;
      this.#links.delete(id);
      void link.close();
    }
    if (lan.revocations === this.#told) return;
    this.#told = lan.revocations;
    const online = [...this.#links.values()].filter(({ isOnline }) => isOnline);
    this.#telling = Promise.all(online.map((link) => this.#bringNews(link)));
  }

  /** Not of the lab any more: what it has as a certificate is no longer believed by those who hear of it. */
  async remove(id: string): Promise<void> {
    const { lab, lan, memory } = this.#env;
    await lab.expel(id);
    await memory.update((all) => all.filter((record) => record.id !== id));
    this.#records = new Map([...this.#records].filter(([each]) => each !== id));
    const link = this.#links.get(id);
    this.#links.delete(id);
    await link?.close();
    await lan.refresh();
    await this.#telling;
  }

  /** A command is often done before machines have heard the news: they still do, if that is quick. */
  async close(): Promise<void> {
    await Promise.race([Promise.all(this.#welcomes), delay(LAST_NEWS_MS, undefined, { ref: false })]);
    this.#closing.abort();
    clearInterval(this.#timer);
    await Promise.all([...this.#links.values()].map((link) => link.close()));
  }

  #connect(id: string): void {
    if (this.#links.has(id) || this.#closing.signal.aborted) return;
    const { log, listener } = this.#env;
    const link = new MachineLink({
      id,
      log,
      connect: () => this.#dial(id),
      listener,
      onOnline: () => {
        const welcome = this.#welcome(link).finally(() => this.#welcomes.delete(welcome));
        this.#welcomes.add(welcome);
      },
    });
    this.#links.set(id, link);
  }

  async #dial(id: string): Promise<AgentClient> {
    const place = await this.#find(id);
    // That it refuses this user may be among the news.
    await this.#exchange.learn(async () => place, this.#called(id));
    const secure = secureDial(await this.#env.lab.credentials(), { machine: id });
    return new GrpcAgentClient({ target: targetOf(place), name: `The agent of ${this.#called(id)}`, secure });
  }

  #called(id: string): string {
    return this.nameOf(id) ?? id;
  }

  async #find(id: string): Promise<AgentPlace> {
    const port = this.portOf(id);
    return { host: await firstOpen(this.addressesOf(id), port, this.#closing.signal), port };
  }

  async #exchangeWithAll(): Promise<void> {
    for (const link of this.#links.values()) {
      if (!link.isOnline) continue;
      const name = this.#called(link.id);
      await this.#exchange.learn(() => this.#find(link.id), name);
      await this.#exchange.renew(link, name);
    }
  }

  async #welcome(link: MachineLink): Promise<void> {
    await this.#remember(link);
    await this.#bringNews(link);
    await this.#exchange.renew(link, this.#called(link.id));
  }

  async #remember({ id, machine }: MachineLink): Promise<void> {
    const record = { id, name: machine?.hostName ?? id, addresses: this.addressesOf(id), port: this.portOf(id) };
    if (JSON.stringify(this.#records.get(id)) === JSON.stringify(record)) return;
    this.#records = new Map([...this.#records, [id, record]]);
    await this.#env.memory
      .update((all) => [...all.filter((each) => each.id !== id), record])
      .catch((error: unknown) => this.#env.log(`${record.name} will not be remembered: ${toStatusError(error).message}`));
  }

  async #bringNews(link: MachineLink): Promise<void> {
    const { lab, log } = this.#env;
    try {
      await bringNews(link, { lab, proof: 'link' });
    } catch (error) {
      const { message } = toStatusError(error);
      log(`${this.nameOf(link.id)} has not got the lab's revocation list: ${message}`);
    }
  }
}
