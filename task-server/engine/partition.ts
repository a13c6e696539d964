import { clone, create } from '@bufbuild/protobuf';
import { type GraphDef, GraphDefSchema } from '#proto/generated/tensorflow/graph_pb.ts';
import { type NodeDef, NodeDefSchema } from '#proto/generated/tensorflow/node_def_pb.ts';
import { CONTROL, formatInputName } from '#proto/wire/tensor-name.ts';
import type { Graph, GraphNode } from './graph.ts';
import { loopAcrossDevices, loopDepths } from './loops.ts';
import { constNode, identityNode, recvNode, sendNode, type Transfer } from './transfer-nodes.ts';

export interface PartitionOptions {
  /** Which partition a node belongs to: its task on a master, its device on a worker. */
  locate(node: GraphNode): string;
  /** A node name that was never given before in the session, made from this one (`w` → `w_S7`). */
  newName(prefix: string): string;
  incarnation(device: string): bigint;
}

/**
 * Splits a placed graph into one graph per location that has nodes, in the order of their first node. An edge between two
 * of them becomes a _Send and a _Recv, which all consumers of the value at that location share. Two kinds differ:
 *
 * - A reference cannot leave its device: its consumers elsewhere get the value, each its own, read as late as its other
 *   inputs allow.
 * - A control edge sends an empty constant that waits for the source.
 *
 * A loop must lie within one location: an edge inside one that leaves it is UNIMPLEMENTED, both ends named. Every node in
 * the result has its full device. The graph itself is not changed.
 */
export function partitionGraph(graph: Graph, options: PartitionOptions): Map<string, GraphDef> {
  return new Partitioner(graph, options).run();
}

/** A data edge (`output` ≥ 0) or a control edge. */
interface Edge {
  readonly source: GraphNode;
  readonly output: number;
}

class Partitioner {
  readonly #graph: Graph;
  readonly #options: PartitionOptions;
  readonly #parts = new Map<string, GraphDef>();
  /** Location, source and output of what has been sent → the input text that stands for it there. */
  readonly #arrivals = new Map<string, string>();
  /** Nodes whose outputs are inside a loop. */
  readonly #looping: ReadonlyMap<GraphNode, number>;
  #edges = 0;

  constructor(graph: Graph, options: PartitionOptions) {
    this.#graph = graph;
    this.#looping = loopDepths(graph);
    this.#options = options;
  }

  run(): Map<string, GraphDef> {
    for (const node of this.#graph.nodes.values()) this.#add(node);
    return this.#parts;
  }

  #add(node: GraphNode): void {
    const proto = clone(NodeDefSchema, node.proto);
    proto.device = deviceOf(node);
    const reads: NodeDef[] = [];
    const settled: string[] = [];
    proto.input = edgesInto(node).map((edge) => {
      const isReference = edge.output !== CONTROL && edge.source.outputTypes[edge.output]?.isRef === true;
      if (this.#options.locate(edge.source) === this.#options.locate(node)) {
        if (!isReference) settled.push(edge.source.name);
        return formatInputName({ node: edge.source.name, output: edge.output });
      }
      if (this.#looping.has(edge.source)) throw loopAcrossDevices(edge.source, node);
      if (isReference) {
        const recv = this.#transfer(edge, node);
        reads.push(recv);
        return recv.name;
      }
      const input = this.#arrival(edge, node);
      settled.push(input.replace('^', ''));
      return input;
    });
    for (const recv of reads) recv.input.push(...new Set(settled.map((name) => `^${name}`)));
    this.#part(node).node.push(proto);
  }

  /** The input that stands for a remote edge, whose transfer is made on first use. */
  #arrival(edge: Edge, consumer: GraphNode): string {
    const key = `${this.#options.locate(consumer)};${edge.source.name};${edge.output}`;
    const known = this.#arrivals.get(key);
    if (known !== undefined) return known;
    const made = edge.output === CONTROL ? this.#controlTransfer(edge, consumer) : this.#transfer(edge, consumer).name;
    this.#arrivals.set(key, made);
    return made;
  }

  #transfer({ source, output }: Edge, consumer: GraphNode): NodeDef {
    const transfer = this.#newTransfer(source, consumer, source.outputTypes[output]?.dtype ?? 'float');
    this.#part(source).node.push(sendNode(this.#newName(source), formatInputName({ node: source.name, output }), transfer));
    const recv = recvNode(this.#newName(source), transfer);
    this.#part(consumer).node.push(recv);
    return recv;
  }

  #controlTransfer({ source }: Edge, consumer: GraphNode): string {
    const transfer = this.#newTransfer(source, consumer, 'float');
    const signal = constNode(this.#options.newName(`${source.name}/ctrl`), `^${source.name}`, transfer.sendDevice);
    const send = sendNode(this.#newName(source), signal.name, transfer);
    this.#part(source).node.push(signal, send);
    const recv = recvNode(this.#newName(source), transfer);
    const identity = identityNode(this.#newName(source), recv.name, transfer.recvDevice);
    this.#part(consumer).node.push(recv, identity);
    return `^${identity.name}`;
  }

  #newTransfer(source: GraphNode, consumer: GraphNode, dtype: Transfer['dtype']): Transfer {
    const sendDevice = deviceOf(source);
    return {
      tensorName: `edge_${this.#edges++}_${source.name}`,
      sendDevice,
      sendIncarnation: this.#options.incarnation(sendDevice),
      recvDevice: deviceOf(consumer),
      dtype,
      source: source.name,
      consumer: consumer.name,
    };
  }

  #newName({ name }: GraphNode): string {
    return this.#options.newName(name);
  }

  #part(node: GraphNode): GraphDef {
    const location = this.#options.locate(node);
    const known = this.#parts.get(location);
    if (known) return known;
    const { library, versions } = this.#graph;
    const made = create(GraphDefSchema, { ...(library ? { library } : {}), ...(versions ? { versions } : {}) });
    this.#parts.set(location, made);
    return made;
  }
}

function edgesInto({ inputs, controlInputs }: GraphNode): Edge[] {
  const data = inputs.map(({ node: source, output }) => ({ source, output }));
  return [...data, ...controlInputs.map((source) => ({ source, output: CONTROL }))];
}

/** Graphs that arrive over the wire carry the placement as the request. */
function deviceOf(node: GraphNode): string {
  return node.device || node.requestedDevice;
}
