import type { ConfigProto } from '#proto/generated/tensorflow/config_pb.ts';
import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { GraphBuilder } from '../graph/node.ts';
import type { MasterClient } from './master-client.ts';
import { methods } from './master-methods.ts';

interface GraphSyncEnv {
  readonly master: MasterClient;
  readonly graph: GraphBuilder;
  readonly rewriteGraph?: ((part: GraphDef) => GraphDef) | undefined;
}

/** Keeps the master's copy of a graph up to date: one session on the master. */
export class GraphSync {
  /** The master's name for the session. */
  readonly handle: string;
  readonly #env: GraphSyncEnv;
  #version: bigint;
  /** How many of the graph's nodes the master has. */
  #sent: number;
  /** The last extension; they must not overtake each other. */
  #last: Promise<void> = Promise.resolve();

  private constructor(env: GraphSyncEnv, handle: string, version: bigint, sent: number) {
    this.#env = env;
    this.handle = handle;
    this.#version = version;
    this.#sent = sent;
  }

  /** Sends the graph as it is. Waits for the master, which in turn waits for all of its tasks. */
  static async create(env: GraphSyncEnv & { config: ConfigProto; target: string; signal: AbortSignal }): Promise<GraphSync> {
    const { master, graph, rewriteGraph, config, target, signal } = env;
    const sent = graph.nodes.size;
    const request = { graphDef: partOf({ graph, rewriteGraph }), config, target };
    const { sessionHandle, graphVersion } = await master.call(methods.createSession, request, { signal, waitForReady: true });
    return new GraphSync({ master, graph, rewriteGraph }, sessionHandle, graphVersion, sent);
  }

  /** Sends the nodes that are new. After a failure the next call sends them again. */
  async extend(signal?: AbortSignal): Promise<void> {
    const mine = this.#last.catch(() => undefined).then(() => this.#extendNow(signal));
    this.#last = mine;
    await mine;
  }

  async #extendNow(signal?: AbortSignal): Promise<void> {
    const { master, graph } = this.#env;
    const size = graph.nodes.size;
    if (size === this.#sent) return;
    const request = { sessionHandle: this.handle, graphDef: partOf(this.#env, this.#sent), currentGraphVersion: this.#version };
    const { newGraphVersion } = await master.call(methods.extendSession, request, { signal });
    this.#version = newGraphVersion;
    this.#sent = size;
  }
}

/** The nodes behind the first `from`, as they are to be sent. */
function partOf({ graph, rewriteGraph }: Pick<GraphSyncEnv, 'graph' | 'rewriteGraph'>, from = 0): GraphDef {
  const part = graph.toDef(from);
  return rewriteGraph ? rewriteGraph(part) : part;
}
