import { arch, cpus, hostname, release, type } from 'node:os';
import packageJson from '../../../package.json' with { type: 'json' };
import { gpuNames } from './gpus.ts';
import { LoadMeter, type MachineLoad, ownPlaces } from './load-meter.ts';

export interface MachineFacts {
  readonly id: string;
  /** Of this process of the agent. */
  readonly startId: string;
  readonly installed: boolean;
  readonly hostName: string;
  readonly system: string;
  readonly cores: number;
  readonly gpu: readonly string[];
  readonly version: Readonly<Record<string, string>>;
  /** The lab that it belongs to; empty as long as it belongs to none. */
  readonly lab: string;
  /** Where its agent answers other machines; 0: it does not. */
  readonly port: number;
}

export interface MachineOptions {
  readonly id: string;
  readonly startId: string;
  readonly installed: boolean;
  /** On the disk that is measured. */
  readonly folder: string;
  readonly log: (line: string) => void;
}

export interface MachineListener {
  onMachine(facts: MachineFacts): void;
  onLoad(load: MachineLoad): void;
}

/** How often the load is measured, while somebody wants to know. */
const EVERY_MS = 2000;

/** The machine that the agent runs on. */
export class Machine {
  readonly #meter: LoadMeter;
  readonly #listeners = new Set<MachineListener>();
  #facts: MachineFacts;
  #load: MachineLoad;
  #timer: NodeJS.Timeout | undefined;

  private constructor(facts: MachineFacts, meter: LoadMeter, load: MachineLoad) {
    this.#facts = facts;
    this.#meter = meter;
    this.#load = load;
  }

  static async look({ folder, log, ...ids }: MachineOptions): Promise<Machine> {
    const meter = new LoadMeter(folder, log);
    const facts = {
      ...ids,
      hostName: hostname(),
      system: `${type()} ${release()} ${arch()}`,
      cores: cpus().length,
      gpu: [],
      version: { Lanflow: packageJson.version, Node: process.versions.node },
      lab: '',
      port: 0,
    };
    const machine = new Machine(facts, meter, await meter.measure());
    void machine.#findGpus(log);
    return machine;
  }

  get facts(): MachineFacts {
    return this.#facts;
  }

  /** As last measured, which may be long ago; but its addresses are those of now: who has just come connects to them. */
  get load(): MachineLoad {
    return { ...this.#load, ...ownPlaces() };
  }

  /** What was found out about it, or has changed. */
  learn(facts: Partial<Pick<MachineFacts, 'gpu' | 'lab' | 'port'>>): void {
    this.#facts = { ...this.#facts, ...facts };
    for (const listener of this.#listeners) listener.onMachine(this.#facts);
  }

  /** Measures as long as somebody listens, until the returned function is called. */
  listen(listener: MachineListener): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#measure(), EVERY_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  async #measure(): Promise<void> {
    this.#load = await this.#meter.measure();
    for (const listener of this.#listeners) listener.onLoad(this.#load);
  }

  /** Takes a second where there are some: the agent is up without waiting for it. */
  async #findGpus(log: (line: string) => void): Promise<void> {
    try {
      const gpu = await gpuNames();
      if (gpu.length > 0) this.learn({ gpu });
    } catch (error) {
      log(`The graphics cards of this machine cannot be found out: ${error}`);
    }
  }
}
