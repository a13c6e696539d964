import { create } from '@bufbuild/protobuf';
import { GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import type { NodeDef } from '#proto/generated/tensorflow/node_def_pb.ts';
import type { DType } from '#proto/wire/dtype.ts';
import { formatRendezvousKey } from '#proto/wire/rendezvous-key.ts';
import { invalidArgument, notFound } from '#proto/wire/status.ts';
import { CONTROL, endpointName, formatInputName, parseInputName } from '#proto/wire/tensor-name.ts';
import { type Endpoint, Graph, type GraphNode } from './graph.ts';
import { recvNode, sendNode, type Transfer } from './transfer-nodes.ts';

/** What a step is asked for, and the device at which its feeds enter and its fetches leave. */
export interface PruneOptions {
  /** Endpoints that get a value from the client. Any tensor may be fed. */
  readonly feeds: readonly string[];
  /** Endpoints whose value the client wants. */
  readonly fetches: readonly string[];
  /** Nodes to be run for their effect. */
  readonly targets: readonly string[];
  readonly client: ClientDevice;
}

/** The first device of the master's task. */
export interface ClientDevice {
  readonly name: string;
  readonly incarnation: bigint;
}

/**
 * The part of a placed graph that a step needs. Each feed is a `_Recv` in place of the fed output, each fetch a `_Send`, both
 * on the client device; they meet the client's values in the rendezvous. Nodes that only lead to fed outputs are gone, so
 * they have no effect. The given graph is left as it is. Throws TensorFlow's errors for names that fit no node or output,
 * for doubles, and when nothing is asked for.
 */
export function pruneGraph(graph: Graph, options: PruneOptions): Graph {
  return new Pruner(graph, options).run();
}

/** The rendezvous key under which a feed or fetch of this text meets the client's value. */
export function clientKey({ name, incarnation }: ClientDevice, endpoint: string): string {
  return formatRendezvousKey({
    sendDevice: name,
    sendIncarnation: incarnation,
    recvDevice: name,
    tensorName: endpoint,
    frameId: 0n,
    iteration: 0n,
  });
}

/** Ops whose outgoing control edges, too, start at the feed once they are fed. */
const PLACEHOLDERS: ReadonlySet<string> = new Set(['Placeholder', 'PlaceholderV2']);

class Pruner {
  readonly #graph: Graph;
  readonly #options: PruneOptions;
  /** Name of the `_Recv` by the endpoint, or by the `^node` whose control edges it takes over. */
  readonly #recvs = new Map<string, string>();
  readonly #added: NodeDef[] = [];

  constructor(graph: Graph, options: PruneOptions) {
    this.#graph = graph;
    this.#options = options;
  }

  run(): Graph {
    const { feeds, fetches, targets } = this.#options;
    if (fetches.length === 0 && targets.length === 0) throw invalidArgument('Must specify at least one target to fetch or execute.');
    this.#checkDoubles(feeds, fetches);
    for (const feed of feeds) this.#addRecv(feed);
    const fetched = fetches.map((fetch) => this.#addSend(fetch));
    const needed = this.#reach([...fetched, ...this.#findTargets(targets)]);
    return this.#build(needed);
  }

  #checkDoubles(feeds: readonly string[], fetches: readonly string[]): void {
    const fed = new Set<string>();
    for (const feed of feeds) {
      if (fed.has(canonical(feed))) throw invalidArgument(`Endpoint "${feed}" fed more than once.`);
      fed.add(canonical(feed));
    }
    for (const fetch of fetches) if (fed.has(canonical(fetch))) throw invalidArgument(`${fetch} is both fed and fetched.`);
  }

  #addRecv(text: string): void {
    const { node: name, output } = parseInputName(text);
    const node = this.#graph.node(name);
    const type = node?.outputTypes[output];
    if (!node) throw notFound(`FeedInputs: unable to find feed output ${text}`);
    if (!type) throw invalidArgument(`FeedInputs: ${text} should have output index < ${node.outputTypes.length}`);
    const recv = `_recv_${name}_${output}`;
    this.#recvs.set(endpointName(name, output), recv);
    if (PLACEHOLDERS.has(node.def.name)) this.#recvs.set(`^${name}`, recv);
    this.#added.push(recvNode(recv, this.#transfer(text, type.dtype)));
  }

  /** Returns the node that produces the fetched value. */
  #addSend(text: string): GraphNode {
    const { node: name, output } = parseInputName(text);
    const node = this.#graph.node(name);
    if (!node) throw notFound(`FetchOutputs node ${text}: not found`);
    const count = node.outputTypes.length;
    if (count === 0) {
      throw invalidArgument(
        `Tried to fetch data for '${text}', which produces no output.  To run to a node but not fetch any data, pass '${text}' ` +
          "as an argument to the 'target_node_names' argument of the Session::Run API.",
      );
    }
    const type = node.outputTypes[output];
    if (!type) throw invalidArgument(`FetchOutputs ${text}: output index too large, must be < ${count}`);
    this.#added.push(sendNode(`_send_${name}_${output}`, formatInputName({ node: name, output }), this.#transfer(text, type.dtype)));
    return node;
  }

  #transfer(tensorName: string, dtype: DType): Transfer {
    const { name, incarnation } = this.#options.client;
    return { tensorName, sendDevice: name, sendIncarnation: incarnation, recvDevice: name, dtype, clientTerminated: true };
  }

  #findTargets(names: readonly string[]): GraphNode[] {
    const found = names.map((name) => this.#graph.node(parseInputName(name).node));
    const missing = names.filter((_, index) => !found[index]);
    if (missing.length > 0) throw notFound(`PruneForTargets: Some target nodes not found: ${missing.map((name) => `${name} `).join('')}`);
    return found.filter((node) => node !== undefined);
  }

  /** Everything that the roots depend on, up to the fed outputs. */
  #reach(roots: readonly GraphNode[]): ReadonlySet<GraphNode> {
    const needed = new Set(roots);
    for (const node of needed) {
      for (const { node: source, output } of node.inputs) if (!this.#recvs.has(endpointName(source.name, output))) needed.add(source);
      for (const source of node.controlInputs) if (!this.#recvs.has(`^${source.name}`)) needed.add(source);
    }
    return needed;
  }

  #build(needed: ReadonlySet<GraphNode>): Graph {
    const node: NodeDef[] = [];
    for (const each of this.#graph.nodes.values()) if (needed.has(each)) node.push(this.#rewired(each));
    const { library, versions } = this.#graph;
    const def = create(GraphDefSchema, { node: [...node, ...this.#added], ...(library && { library }), ...(versions && { versions }) });
    const pruned = Graph.fromDef(def, { where: this.#options.client.name });
    for (const each of pruned.nodes.values()) each.device = each.requestedDevice;
    return pruned;
  }

  /** The definition with its placement and with fed inputs replaced. */
  #rewired({ proto, device, inputs, controlInputs }: GraphNode): NodeDef {
    const input = [...inputs.map((endpoint) => this.#inputText(endpoint)), ...controlInputs.map(({ name }) => this.#controlText(name))];
    return { ...proto, device, input };
  }

  #inputText({ node, output }: Endpoint): string {
    return this.#recvs.get(endpointName(node.name, output)) ?? formatInputName({ node: node.name, output });
  }

  #controlText(name: string): string {
    return formatInputName({ node: this.#recvs.get(`^${name}`) ?? name, output: CONTROL });
  }
}

/** `x` and `x:0` are the same endpoint. */
function canonical(text: string): string {
  const { node, output } = parseInputName(text);
  return endpointName(node, output);
}
