import { taskName } from '#proto/wire/device-name.ts';
import type { ClusterInput } from '../../client/index.ts';
import type { ProgramSource } from '../../program-host/protocol.ts';
import { type Rehearsed, type RehearseOptions, rehearse } from '../../program-host/rehearse.ts';
import { programStamp } from './program-sources.ts';

export interface RehearsalsEnv {
  /** The built program host. */
  readonly programHost: string;
  readonly rehearse?: (options: RehearseOptions) => Promise<Rehearsed>;
}

/** Number of tasks by job, or their indexes where these have gaps. */
export type ClusterTasks = Readonly<Record<string, readonly number[]>>;

/** Looking at a graph asks for it many times: for the view, for each node, for each placement. */
const KEPT = 16;

/** Which graphs programs build, found out once for each state of a program and each shape of a cluster. */
export class Rehearsals {
  readonly #env: RehearsalsEnv;
  /** The one used last comes last. */
  readonly #kept = new Map<string, Promise<Rehearsed>>();
  readonly #closing = new AbortController();

  constructor(env: RehearsalsEnv) {
    this.#env = env;
  }

  /** On the cluster that the program wants, or on one of these tasks. Rejects as `rehearse` does. */
  async get(source: ProgramSource, tasks?: ClusterTasks): Promise<Rehearsed> {
    const about = JSON.stringify([source, await programStamp(source)]);
    const kept = this.#use(keyOf(about, tasks));
    if (kept) return kept;
    const { rehearse: perform = rehearse, programHost } = this.#env;
    const rehearsed = perform({ entry: programHost, source, cluster: tasks ? addressesOf(tasks) : {}, signal: this.#closing.signal });
    this.#keep(keyOf(about, tasks), rehearsed);
    try {
      const { program } = await rehearsed;
      if (!tasks) this.#keep(keyOf(about, denseTasks(program.cluster)), rehearsed);
    } catch (error) {
      this.#kept.delete(keyOf(about, tasks));
      throw error;
    }
    return rehearsed;
  }

  /** Ends those that go on. */
  close(): void {
    this.#closing.abort();
  }

  #use(key: string): Promise<Rehearsed> | undefined {
    const kept = this.#kept.get(key);
    if (kept) this.#keep(key, kept);
    return kept;
  }

  #keep(key: string, rehearsed: Promise<Rehearsed>): void {
    this.#kept.delete(key);
    this.#kept.set(key, rehearsed);
    for (const [oldest] of this.#kept) if (this.#kept.size > KEPT) this.#kept.delete(oldest);
  }
}

function keyOf(about: string, tasks: ClusterTasks | undefined): string {
  const names = tasks && Object.entries(tasks).flatMap(([job, indexes]) => indexes.map((index) => taskName(job, index)));
  return `${about} ${names?.sort().join() ?? ''}`;
}

function denseTasks(cluster: Readonly<Record<string, number>>): ClusterTasks {
  return Object.fromEntries(Object.entries(cluster).map(([job, count]) => [job, Array.from({ length: count }, (_, index) => index)]));
}

/** Nobody dials them. */
function addressesOf(tasks: ClusterTasks): ClusterInput {
  return Object.fromEntries(
    Object.entries(tasks).map(([job, indexes]) => [job, Object.fromEntries(indexes.map((index) => [index, '127.0.0.1:1']))]),
  );
}
