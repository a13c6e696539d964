import type { Graph } from '../engine/graph.ts';
import { buildClientGraph, type ClientGraph, type ClientGraphEnv, type Signature } from './client-graph.ts';

/**
 * The client graphs of one session, by signature. The first step of a signature builds its graph and registers it on the
 * tasks; steps that come meanwhile wait for it. A graph stays for the life of the session; a failure is not kept.
 */
export class ClientGraphCache {
  readonly #env: ClientGraphEnv;
  readonly #ready = new Map<string, ClientGraph>();
  readonly #building = new Map<string, Promise<ClientGraph>>();

  constructor(env: ClientGraphEnv) {
    this.#env = env;
  }

  /** At once when the graph is there. `signal` ends the caller's wait, not the building. */
  get(key: string, graph: Graph, signature: Signature, signal: AbortSignal): ClientGraph | Promise<ClientGraph> {
    return this.#ready.get(key) ?? unlessAborted(this.#building.get(key) ?? this.#build(key, graph, signature), signal);
  }

  #build(key: string, graph: Graph, signature: Signature): Promise<ClientGraph> {
    const building = buildClientGraph(graph, signature, this.#env)
      .then((built) => {
        this.#ready.set(key, built);
        return built;
      })
      .finally(() => this.#building.delete(key));
    this.#building.set(key, building);
    return building;
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}
