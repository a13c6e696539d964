import { toStatusError } from '#proto/wire/status.ts';
import { environmentsFile, type FindEnv, TensorFlowFinder } from '../../tensorflow/find/tensorflow-finder.ts';
import { componentFolder, componentTitle } from './component.ts';

/** What can run tasks on this machine, or why it cannot. */
export interface EngineFacts {
  readonly name: 'bundled' | 'tensorflow';
  /** Empty when nothing tells it. */
  readonly version: string;
  /** Where it was found: as its user calls it, and the path; of the bundled one that is its component, if it has any. */
  readonly title: string;
  readonly path: string;
  /** Why it cannot be used, with the way out; empty when it can. */
  readonly problem: string;
}

interface EnginesEnv {
  /** Where tasks look as well: what is told is what they use. */
  readonly find: FindEnv;
  /** Of Lanflow. */
  readonly dataFolder: string;
  readonly version: string;
  readonly onFound: (engines: readonly EngineFacts[]) => void;
  readonly log: (line: string) => void;
}

/** A user who has just installed TensorFlow sees it within this time; a look takes a few milliseconds. */
const EVERY_MS = 10_000;
const UNKNOWN = { title: '', path: '', problem: '' };

/** Knows which engines this machine has, and finds out when that changes. */
export class Engines {
  readonly #env: EnginesEnv;
  readonly #finder: TensorFlowFinder;
  #told = '';
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(env: EnginesEnv) {
    this.#env = env;
    this.#finder = new TensorFlowFinder(env.find);
  }

  /** Looks, unless that was done a moment ago, and tells what is new. */
  async look(): Promise<void> {
    const now = performance.now();
    if (now - this.#lookedAt < EVERY_MS) return;
    this.#lookedAt = now;
    try {
      const engines = [await this.#bundled(), await this.#tensorFlow()];
      const told = JSON.stringify(engines);
      if (told !== this.#told) this.#env.onFound(engines);
      this.#told = told;
    } catch (error) {
      this.#env.log(`The engines of this machine cannot be found out: ${toStatusError(error).message}`);
    }
  }

  /** The component that it computes with is the place of interest. */
  async #bundled(): Promise<EngineFacts> {
    const { find, dataFolder, version } = this.#env;
    const path = componentFolder(find.variables, dataFolder) ?? '';
    return { ...UNKNOWN, name: 'bundled', version, title: path === '' ? '' : await componentTitle(path), path };
  }

  async #tensorFlow(): Promise<EngineFacts> {
    // The first is the one that a task takes.
    for await (const { version, title, path } of this.#finder.places([])) {
      return { ...UNKNOWN, name: 'tensorflow', version, title, path };
    }
    return { ...UNKNOWN, name: 'tensorflow', version: '', problem: this.#missing() };
  }

  #missing(): string {
    const { find } = this.#env;
    const library = find.variables['LANFLOW_LIBTENSORFLOW'];
    if (library) return `There is no libtensorflow at ${library}, as LANFLOW_LIBTENSORFLOW has it: correct or remove the variable`;
    return `No TensorFlow was found in Python or conda: install it (pip install tensorflow-cpu), or write the folder of the environment that has it into ${environmentsFile(find.variables)}`;
  }
}
