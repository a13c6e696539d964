import { createHash } from 'node:crypto';
import { toBinary } from '@bufbuild/protobuf';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import type { GraphBuilder, PlacementConfig } from '../client/index.ts';
import type { ClientEvent } from './protocol.ts';

/** A graph that grows with every step is told this often at most, in milliseconds. */
const TELL_MS = 1000;

interface Sent {
  readonly graph: GraphBuilder;
  /** As it was sent last. */
  def: GraphDef;
  readonly config: PlacementConfig | undefined;
  number?: number;
  hash: string;
}

/** The graphs that one client has sent, each told when it is new and, not too often, when it has grown. */
export class SentGraphs {
  readonly #tell: (event: ClientEvent) => void;
  readonly #sent = new Map<GraphBuilder, Sent>();
  readonly #grown = new Set<Sent>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;

  constructor(tell: (event: ClientEvent) => void) {
    this.#tell = tell;
  }

  get isEmpty(): boolean {
    return this.#sent.size === 0;
  }

  /** `def`: the whole graph as its master has it now. `config`: of the session, told if it is given; of several, the first one's. */
  add(graph: GraphBuilder, def: GraphDef, config?: PlacementConfig): void {
    const known = this.#sent.get(graph);
    if (known && known.def.node.length === def.node.length) return;
    const sent = known ?? { graph, def, config, hash: '' };
    sent.def = def;
    this.#sent.set(graph, sent);
    if (known) this.#tellLater(sent);
    else this.#tellNow(sent);
  }

  /** Tells what has not been told yet. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const sent of this.#grown) this.#tellNow(sent);
    this.#grown.clear();
  }

  #tellLater(sent: Sent): void {
    this.#grown.add(sent);
    this.#timer ??= setTimeout(() => this.flush(), TELL_MS).unref();
  }

  /** Equal graphs, built twice, are told once. */
  #tellNow(sent: Sent): void {
    const graphDef = toBinary(GraphDefSchema, sent.def);
    sent.hash = createHash('sha256').update(graphDef).digest('hex');
    if ([...this.#sent.values()].some((other) => other !== sent && other.number !== undefined && other.hash === sent.hash)) return;
    sent.number ??= ++this.#last;
    this.#tell({ kind: 'graph', number: sent.number, graphDef, ...(sent.config && { config: sent.config }) });
  }
}

/** Under which name a client's graphs are kept and shown: the first by the client's own. */
export function graphName(client: string, number: number): string {
  return number === 1 ? client : `${client} #${number}`;
}
