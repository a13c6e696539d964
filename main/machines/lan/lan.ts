import { networkInterfaces } from 'node:os';
import { AGENT_PORT } from '#proto/discovery/agent-port.ts';
import type { MachineDiagnosis, ProbeProgress } from '#proto/ipc/contract.ts';
import { notFound, toStatusError, unavailable } from '#proto/wire/status.ts';
import { diagnose } from '../diagnosis/diagnose.ts';
import { Discovery, type DiscoveryProblem } from '../discovery/discovery.ts';
import type { InstallableMachine } from '../discovery/installable.ts';
import type { FoundMachine } from '../discovery/machine-table.ts';
import { resolveHost } from '../discovery/resolve-host.ts';
import { type ProbeNumbers, probeSubnets } from '../discovery/subnet-probe.ts';
import { parseManualEntry } from '../sources/manual-entry.ts';
import type { LabAuthority, LabState } from './authority.ts';
import { askHello, firstOpen, targetOf } from './hello.ts';
import { Neighbours } from './neighbours.ts';
import { pairMachine } from './pair-machine.ts';

export interface LanEnv {
  /** Id of this machine. */
  readonly here: string;
  /** Of this Lanflow. */
  readonly version: string;
  readonly lab: LabAuthority;
  /** Off: nothing is sent to the LAN before the user asks for it. */
  readonly isDiscovering: boolean;
  readonly log: (line: string) => void;
}

export interface LanListener {
  /** A machine came, went or changed. */
  onMachines(): void;
  /** The user belongs to a lab now, or to another one; or what there is to know of it has changed. */
  onLab(): void;
  onProblem(problem: DiscoveryProblem): void;
}

export interface ProbeOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ProbeProgress) => void;
}

/** What other programs of the user do to the lab is heard of within that. */
const LAB_MS = 30_000;

/** The machines of the LAN other than this one, as they announce themselves or were given by address, and whose they are. */
export class Lan {
  readonly #env: LanEnv;
  readonly #listener: LanListener;
  readonly #discovery: Discovery;
  readonly #neighbours: Neighbours;
  readonly #closing = new AbortController();
  #watch: NodeJS.Timeout | undefined;
  #state: LabState = { id: undefined, expelled: new Set(), revocations: '', problem: '' };

  private constructor(env: LanEnv, listener: LanListener) {
    this.#env = env;
    this.#listener = listener;
    this.#discovery = new Discovery({
      onMachine: () => void this.refresh(),
      onInstallable: () => listener.onMachines(),
      onProblem: (problem) => listener.onProblem(problem),
    });
    this.#neighbours = new Neighbours(this.#discovery);
  }

  /** Listens to the LAN, if it may. */
  static async open(env: LanEnv, listener: LanListener): Promise<Lan> {
    const lan = new Lan(env, listener);
    await lan.#readState();
    lan.#watch = setInterval(() => void lan.#lookAtLab(), LAB_MS).unref();
    if (env.isDiscovering) lan.#discovery.start();
    return lan;
  }

  get problem(): DiscoveryProblem {
    return this.#discovery.problem;
  }

  /** All but this machine. */
  get agents(): readonly FoundMachine[] {
    return this.#neighbours.all.filter(({ machine }) => machine !== this.#env.here);
  }

  get installable(): readonly InstallableMachine[] {
    return this.#discovery.installable;
  }

  find(id: string): FoundMachine | undefined {
    return this.agents.find(({ machine }) => machine === id);
  }

  /** Whose a machine is: of the user's lab, of another one, or of none; one that was removed from the lab belongs to none. */
  membership({ machine, lab }: Pick<FoundMachine, 'machine' | 'lab'>): 'own' | 'other' | 'none' {
    if (lab === '' || this.isExpelled(machine)) return 'none';
    return lab === this.#state.id ? 'own' : 'other';
  }

  isExpelled(machine: string): boolean {
    return this.#state.expelled.has(machine);
  }

  /** What the lab has revoked, as PEM, when it was looked at last. */
  get revocations(): string {
    return this.#state.revocations;
  }

  /** Looks again at what the lab says. */
  async refresh(): Promise<void> {
    await this.#readState();
    this.#listener.onMachines();
  }

  lookAgain(): void {
    this.#discovery.lookAgain();
  }

  /** UNAVAILABLE with the reason when no agent answers there; INVALID_ARGUMENT when it is no address. */
  async add(text: string): Promise<FoundMachine> {
    const { host, port } = parseManualEntry(text, AGENT_PORT);
    const addresses = await this.#resolve(host);
    if (addresses.length === 0) throw notFound(`No machine is called '${host}': neither DNS nor the LAN knows the name`);
    const open = await firstOpen(addresses, port, this.#signal).catch((error: unknown) => {
      throw unavailable(`No agent of Lanflow answers at ${host}: ${toStatusError(error).message}`, { cause: error });
    });
    return this.#meet(open, port);
  }

  /** Knocks at all addresses of the own subnets, until the signal aborts. */
  async probe({ signal, onProgress }: ProbeOptions): Promise<ProbeNumbers & { readonly found: readonly FoundMachine[] }> {
    const found: FoundMachine[] = [];
    const numbers = await probeSubnets({
      interfaces: networkInterfaces(),
      port: AGENT_PORT,
      signal: AbortSignal.any([signal, this.#signal]),
      onProgress: (progress) => onProgress({ ...progress, found: found.length }),
      identify: async (address, port) => {
        const machine = await this.#meet(address, port).catch((error: unknown) => {
          this.#env.log(toStatusError(error).message);
          return undefined;
        });
        if (machine) found.push(machine);
        return machine !== undefined;
      },
      onFound: () => this.#listener.onMachines(),
    });
    return { ...numbers, found };
  }

  /** The machine belongs to the lab when this resolves. Rejects as `pairMachine` does. */
  async pair(id: string, pin: string): Promise<FoundMachine> {
    const { lab } = this.#env;
    const found = this.find(id);
    if (!found?.isHere) throw notFound(`Machine '${found?.title ?? id}' is not on the LAN now; start its agent, or add it by its address`);
    const { title, addresses, port } = found;
    const host = await firstOpen(addresses, port, this.#signal);
    await pairMachine({ target: { target: targetOf({ host, port }), name: `The agent of ${title}` }, machine: id, pin, lab });
    const { id: own } = await lab.state();
    this.#neighbours.joined(id, own ?? '');
    await this.refresh();
    return { ...found, lab: own ?? '' };
  }

  forget(id: string): void {
    this.#neighbours.forget(id);
    this.#listener.onMachines();
  }

  async diagnose(target: string): Promise<MachineDiagnosis> {
    const { version } = this.#env;
    const { cause, message } = await diagnose({
      target,
      port: AGENT_PORT,
      discovery: this.#discovery,
      interfaces: networkInterfaces(),
      own: { version, lab: this.#state.id ?? '', platform: process.platform },
      hello: (address, port, signal) => this.#helloFacts(address, port, signal),
      signal: this.#signal,
    });
    return { cause, message };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#watch);
    await this.#discovery.close();
  }

  async #helloFacts(host: string, port: number, signal: AbortSignal) {
    try {
      const { version, lab, time } = await askHello({ host, port }, signal);
      return { version: version['Lanflow'] ?? '', lab, clockOffset: time - Date.now() };
    } catch {
      // What answers there is no agent; the diagnosis says so.
      return undefined;
    }
  }

  async #meet(host: string, port: number): Promise<FoundMachine> {
    const hello = await askHello({ host, port }, this.#signal);
    this.#neighbours.add(hello, { host, port });
    await this.refresh();
    const found = this.find(hello.machine);
    if (found) return found;
    throw notFound(`${host} is this machine itself`);
  }

  #resolve(host: string): Promise<readonly string[]> {
    return resolveHost(host, { discovery: this.#discovery, interfaces: networkInterfaces(), signal: this.#signal });
  }

  /** Commands change it too. */
  async #lookAtLab(): Promise<void> {
    const before = this.revocations;
    await this.#readState();
    if (this.revocations !== before) this.#listener.onMachines();
  }

  async #readState(): Promise<void> {
    const { id, revocations, problem } = this.#state;
    try {
      this.#state = await this.#env.lab.state();
      const isSame = this.#state.id === id && this.#state.revocations === revocations && this.#state.problem === problem;
      if (!isSame) this.#listener.onLab();
    } catch (error) {
      this.#env.log(toStatusError(error).message);
    }
  }

  get #signal(): AbortSignal {
    return this.#closing.signal;
  }
}
