import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import openMulticast from 'multicast-dns';
import { type DnsMessage, LANFLOW_SERVICE, MDNS_PORT, SSH_SERVICE } from '#proto/discovery/dns.ts';
import { byReach } from '#proto/discovery/interfaces.ts';
import type { Link } from '#proto/discovery/link.ts';
import { type MulticastEnv, MulticastLinks, type MulticastProblem } from '#proto/discovery/multicast-links.ts';
import { type InstallableMachine, installable } from './installable.ts';
import { type FoundMachine, type MachineEvent, MachineTable } from './machine-table.ts';
import { QueryTimes } from './query-times.ts';
import { ServiceCache } from './service-cache.ts';

export interface DiscoveryListener {
  onMachine(event: MachineEvent): void;
  onInstallable(machines: readonly InstallableMachine[]): void;
  onProblem(problem: DiscoveryProblem): void;
}

export interface DiscoveryProblem {
  readonly code: MulticastProblem;
  /** What is in the way, with the way out; empty for `none`. */
  readonly message: string;
}

const MESSAGES: Readonly<Record<MulticastProblem, string>> = {
  none: '',
  'no network': 'This machine is on no network: plug in the cable or join the Wi-Fi; looking for machines starts by itself then',
  'port taken': `Another program keeps UDP port ${MDNS_PORT} to itself, so machines cannot be found: end it, or add machines by their address`,
};

const TICK_MS = 1000;
/** All machines answer one query at about the same time. */
const TOGETHER_MS = 20;
const LOOK_UP_MS = 1000;
const LOOK_UP_STEP_MS = 50;

/** Listens to what the machines of the LAN announce, on every network that comes and goes, from `start` to `close`. */
export class Discovery {
  readonly #env: MulticastEnv;
  readonly #listener: DiscoveryListener;
  readonly #links: MulticastLinks;
  readonly #cache = new ServiceCache();
  readonly #table = new MachineTable();
  readonly #times = new Map<Link, QueryTimes>();
  #installable: readonly InstallableMachine[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;
  #updating: ReturnType<typeof setTimeout> | undefined;

  constructor(
    listener: DiscoveryListener,
    env: MulticastEnv = { open: openMulticast, interfaces: networkInterfaces, isWindows: process.platform === 'win32' },
  ) {
    this.#env = env;
    this.#listener = listener;
    this.#links = new MulticastLinks(env, {
      onPacket: (message, link) => {
        if (message.type !== 'response') return;
        this.#cache.learn(message, link.name, Date.now());
        this.#updating ??= setTimeout(() => this.#update(), TOGETHER_MS);
      },
      onOpen: (link) => {
        this.#times.set(link, new QueryTimes(Date.now()));
        this.#tick();
      },
      onClose: (link) => this.#onClose(link),
      onProblem: (code) => listener.onProblem({ code, message: MESSAGES[code] }),
    });
  }

  get machines(): readonly FoundMachine[] {
    return this.#table.machines;
  }

  get installable(): readonly InstallableMachine[] {
    return this.#installable;
  }

  get problem(): DiscoveryProblem {
    const code = this.#links.problem;
    return { code, message: MESSAGES[code] };
  }

  start(): void {
    this.#links.start();
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Asks everybody again, as if it had just started. */
  lookAgain(): void {
    for (const link of this.#times.keys()) this.#times.set(link, new QueryTimes(Date.now()));
    this.#tick();
  }

  /** Addresses of `NAME.local` as the machine itself tells them; none when it does not answer within a second. */
  async lookUp(name: string, signal: AbortSignal): Promise<readonly string[]> {
    const host = name.toLowerCase().endsWith('.local') ? name : `${name}.local`;
    const questions = ['A', 'AAAA'].map((type) => ({ name: host, type }));
    for (const link of this.#times.keys()) void this.#links.send(link, { type: 'query', questions });
    const until = performance.now() + LOOK_UP_MS;
    while (this.#cache.addressesOf(host).length === 0 && performance.now() < until && !signal.aborted) await sleep(LOOK_UP_STEP_MS);
    return byReach(this.#cache.addressesOf(host), this.#env.interfaces());
  }

  forget(machine: string): void {
    this.#table.forget(machine);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#updating);
    await this.#links.close();
  }

  #onClose(link: Link): void {
    this.#times.delete(link);
    if ([...this.#times.keys()].every(({ name }) => name !== link.name)) this.#cache.forgetLink(link.name);
    this.#update();
  }

  #tick(): void {
    const now = Date.now();
    this.#cache.expire(now);
    this.#update();
    for (const [link, times] of this.#times) if (times.isDue(now)) void this.#links.send(link, this.#query(now));
    this.#refresh(now);
  }

  #query(now: number): DnsMessage {
    const types = [LANFLOW_SERVICE, SSH_SERVICE];
    return {
      type: 'query',
      questions: types.map((name) => ({ name, type: 'PTR' })),
      answers: types.flatMap((type) => this.#cache.known(type, now)).slice(0, MAX_KNOWN),
    };
  }

  /** Whatever expires soon, or was told in part. */
  #refresh(now: number): void {
    const questions = [LANFLOW_SERVICE, SSH_SERVICE].flatMap((type) => this.#cache.questions(type, now));
    for (let i = 0; i < questions.length; i += MAX_KNOWN) {
      const message: DnsMessage = { type: 'query', questions: questions.slice(i, i + MAX_KNOWN) };
      for (const link of this.#times.keys()) void this.#links.send(link, message);
    }
  }

  #update(): void {
    clearTimeout(this.#updating);
    this.#updating = undefined;
    const interfaces = this.#env.interfaces();
    for (const event of this.#table.update(this.#cache.instances(LANFLOW_SERVICE), interfaces)) this.#listener.onMachine(event);
    const machines = installable(this.#cache.instances(SSH_SERVICE), this.#table.machines, interfaces);
    if (JSON.stringify(machines) === JSON.stringify(this.#installable)) return;
    this.#installable = machines;
    this.#listener.onInstallable(machines);
  }
}

/** Records in one query, so that it stays one packet of an Ethernet. */
const MAX_KNOWN = 20;
