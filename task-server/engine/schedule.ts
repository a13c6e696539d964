import { invalidArgument } from '#proto/wire/status.ts';
import { type BoundKernel, bindKernel, type KernelEnv } from './bound-kernel.ts';
import type { Graph, GraphNode } from './graph.ts';
import { attachNode } from './node-error.ts';

/** A data edge, seen from its source. */
export interface DataEdge {
  /** Number of the consuming node. */
  readonly target: number;
  /** Which of its inputs. */
  readonly input: number;
}

/** A node with everything that running it takes, resolved to numbers. */
export interface ScheduledNode {
  /** Its place in `Schedule.nodes`. */
  readonly index: number;
  readonly node: GraphNode;
  readonly compute: BoundKernel['compute'];
  readonly runsOnDeadInputs: boolean;
  /** Number among the merges, which fire on their first live input; -1 for other nodes. */
  readonly merge: number;
  /** Runs as a live node although an input is dead, and takes no notice of it. */
  readonly isControlTrigger: boolean;
  /** Slot that each input is read from. */
  readonly inputSlots: Int32Array;
  /** Slot of output 0; the others follow. */
  readonly firstSlot: number;
  /** Per output, its consumers. */
  readonly consumers: readonly (readonly DataEdge[])[];
  readonly controlTargets: Int32Array;
}

/**
 * A graph without loops, prepared for execution: every node runs exactly once a step. Shared by all runs and never
 * changed; a run copies the counters.
 */
export interface Schedule {
  readonly nodes: readonly ScheduledNode[];
  /** Nodes that wait for nothing. */
  readonly roots: readonly number[];
  /** What a node waits for: its edges; for a merge its control edges and the decision among the others. */
  readonly pending: Int32Array;
  /** Consumers of each slot, after the last of which its value is let go. */
  readonly slotUses: Int32Array;
  readonly mergeCount: number;
}

const MERGES: ReadonlySet<string> = new Set(['Merge', 'RefMerge']);

/** Throws what is wrong with a node (no kernel, bad attrs), named, or INVALID_ARGUMENT for a cycle. */
export function buildSchedule(graph: Graph, env: KernelEnv): Schedule {
  const graphNodes = [...graph.nodes.values()];
  checkAcyclic(graphNodes);
  const numbers = new Map(graphNodes.map((node, index) => [node, index]));
  const slots = slotsOf(graphNodes);
  const edges = outgoingEdges(graphNodes, numbers);
  const slotUses = new Int32Array(slots.count);
  let mergeCount = 0;
  const nodes = graphNodes.map((node, index): ScheduledNode => {
    const inputSlots = Int32Array.from(node.inputs, ({ node: source, output }) => slots.first(source) + output);
    for (const slot of inputSlots) slotUses[slot] = (slotUses[slot] ?? 0) + 1;
    return {
      index,
      node,
      ...boundKernel(node, env),
      merge: MERGES.has(node.def.name) ? mergeCount++ : -1,
      isControlTrigger: node.def.name === 'ControlTrigger',
      inputSlots,
      firstSlot: slots.first(node),
      consumers: edges.data[index] ?? [],
      controlTargets: Int32Array.from(edges.control[index] ?? []),
    };
  });
  const pending = Int32Array.from(nodes, ({ node, merge }) => node.controlInputs.length + (merge < 0 ? node.inputs.length : 1));
  const roots = [...pending.keys()].filter((index) => pending[index] === 0);
  return { nodes, roots, pending, slotUses, mergeCount };
}

function boundKernel(node: GraphNode, env: KernelEnv): BoundKernel {
  try {
    return bindKernel(node, env);
  } catch (error) {
    throw attachNode(error, node);
  }
}

function slotsOf(nodes: readonly GraphNode[]): { count: number; first(node: GraphNode): number } {
  const firsts = new Map<GraphNode, number>();
  let count = 0;
  for (const node of nodes) {
    firsts.set(node, count);
    count += node.outputTypes.length;
  }
  return { count, first: (node) => firsts.get(node) ?? 0 };
}

function outgoingEdges(
  nodes: readonly GraphNode[],
  numbers: ReadonlyMap<GraphNode, number>,
): { data: DataEdge[][][]; control: number[][] } {
  const data = nodes.map(({ outputTypes }) => outputTypes.map((): DataEdge[] => []));
  const control = nodes.map((): number[] => []);
  nodes.forEach((node, target) => {
    node.inputs.forEach(({ node: source, output }, input) => {
      data[numbers.get(source) ?? -1]?.[output]?.push({ target, input });
    });
    for (const source of node.controlInputs) control[numbers.get(source) ?? -1]?.push(target);
  });
  return { data, control };
}

function checkAcyclic(nodes: readonly GraphNode[]): void {
  const waiting = new Map(nodes.map((node) => [node, node.inputs.length + node.controlInputs.length]));
  const successors = new Map<GraphNode, GraphNode[]>(nodes.map((node) => [node, []]));
  for (const node of nodes) {
    for (const { node: source } of node.inputs) successors.get(source)?.push(node);
    for (const source of node.controlInputs) successors.get(source)?.push(node);
  }
  const reached = nodes.filter((node) => waiting.get(node) === 0);
  for (const node of reached) {
    for (const next of successors.get(node) ?? []) {
      const left = (waiting.get(next) ?? 0) - 1;
      waiting.set(next, left);
      if (left === 0) reached.push(next);
    }
  }
  if (reached.length === nodes.length) return;
  const stuck = nodes.filter((node) => waiting.get(node) !== 0);
  throw invalidArgument(
    `${stuck.length} nodes in a cycle, among them ${stuck
      .slice(0, 3)
      .map(({ name }) => `'${name}'`)
      .join(', ')}`,
  );
}
