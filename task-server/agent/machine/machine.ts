import { arch, cpus, hostname, release, type } from 'node:os';
import packageJson from '../../../package.json' with { type: 'json' };
import type { FindEnv } from '../../tensorflow/find/tensorflow-finder.ts';
import { type EngineFacts, Engines } from './engines.ts';
import { gpuNames } from './gpus.ts';
import { LoadMeter, type MachineLoad, ownPlaces } from './load-meter.ts';

export interface MachineFacts {
  readonly id: string;
  /** Of this process of the agent. */
  readonly startId: string;
  readonly installed: boolean;
  readonly keepsTasks: boolean;
  readonly hostName: string;
  readonly system: string;
  readonly cores: number;
  readonly gpu: readonly string[];
  readonly version: Readonly<Record<string, string>>;
  /** The lab that it belongs to; empty as long as it belongs to none. */
  readonly lab: string;
  /** Where its agent answers other machines; 0: it does not. */
  readonly port: number;
  /** What can run tasks, and what is missing; empty until that is found out. */
  readonly engine: readonly EngineFacts[];
}

export interface MachineOptions {
  readonly id: string;
  readonly startId: string;
  readonly installed: boolean;
  readonly keepsTasks: boolean;
  /** On the disk that is measured. */
  readonly folder: string;
  /** Of Lanflow. */
  readonly dataFolder: string;
  /** Where the tasks of this agent look for TensorFlow. */
  readonly find: FindEnv;
  readonly log: (line: string) => void;
}

export interface MachineListener {
  onMachine(facts: MachineFacts): void;
  onLoad(load: MachineLoad): void;
}

/** How often the load is measured, while somebody wants to know. */
const EVERY_MS = 2000;

interface MachineParts extends Pick<MachineOptions, 'dataFolder' | 'find' | 'log'> {
  readonly meter: LoadMeter;
  readonly load: MachineLoad;
}

/** The machine that the agent runs on. */
export class Machine {
  readonly #meter: LoadMeter;
  readonly #engines: Engines;
  readonly #listeners = new Set<MachineListener>();
  #facts: MachineFacts;
  #load: MachineLoad;
  #timer: NodeJS.Timeout | undefined;

  private constructor(facts: MachineFacts, { meter, load, ...rest }: MachineParts) {
    this.#facts = facts;
    this.#meter = meter;
    this.#load = load;
    this.#engines = new Engines({ ...rest, version: packageJson.version, onFound: (engine) => this.learn({ engine }) });
  }

  static async look({ folder, dataFolder, find, log, ...ids }: MachineOptions): Promise<Machine> {
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
      engine: [],
    };
    const machine = new Machine(facts, { meter, load: await meter.measure(), dataFolder, find, log });
    void machine.#findGpus(log);
    void machine.#engines.look();
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
  learn(facts: Partial<Pick<MachineFacts, 'gpu' | 'lab' | 'port' | 'engine'>>): void {
    this.#facts = { ...this.#facts, ...facts };
    for (const listener of this.#listeners) listener.onMachine(this.#facts);
  }

  /** Measures, and looks for new engines, as long as somebody listens, until the returned function is called. */
  listen(listener: MachineListener): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => void this.#measure(), EVERY_MS);
    void this.#engines.look();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  async #measure(): Promise<void> {
    void this.#engines.look();
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
