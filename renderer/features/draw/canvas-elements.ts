import type { Analysis } from '#proto/graph-document/analysis.ts';
import type { DocumentNode, Reference } from '#proto/graph-document/document.ts';
import { CONTROL_SLOT } from '#proto/graph-document/join.ts';
import type { Problem } from '#proto/graph-document/problem.ts';
import { referencesIn, slotsOf } from '#proto/graph-document/slots.ts';
import { typeText } from '#proto/graph-document/tensor-type.ts';
import { formatInputName, parseInputName } from '#proto/wire/tensor-name.ts';
import type { CanvasEdge, CanvasNode } from '../../components/graph-canvas/types.ts';

/** What the canvas shows in a node. */
export interface NodeFace {
  readonly node: DocumentNode;
  /** Its op, or what kind of composite node it is. */
  readonly what: string;
  /** `float[3]`, of its first output; empty when it has none. */
  readonly type: string;
  readonly problems: number;
}

const WIDTH = 172;
const ROW = 20;
const LEAST_ROWS = 2;

/** Port through which a node waits for another without taking a tensor. */
export const CONTROL_PORT = 'control';

export function whatOf(node: DocumentNode): string {
  if (node.kind === 'op') return node.op;
  if (node.kind === 'reduce') return `reduce_${node.op.toLowerCase()}`;
  return node.kind === 'optimizer' ? node.optimizer : node.kind;
}

export function outputCount(analysis: Analysis, name: string): number {
  return analysis.typings.get(name)?.outputs.length ?? 0;
}

/** Fields are as many rows as the side with more ports has. */
export function sizeOf(node: DocumentNode, outputs = 1): { readonly width: number; readonly height: number } {
  const ports = Math.max(inputPorts(node).length, outputs);
  return { width: WIDTH, height: ROW * (Math.max(LEAST_ROWS, ports) + 1) - 8 };
}

function inputPorts(node: DocumentNode) {
  const slots = (slotsOf(node) ?? []).map(({ name }, slot) => ({ id: String(slot), label: name }));
  return slots.length === 0 && node.kind === 'op' ? [{ id: CONTROL_PORT, label: '' }] : slots;
}

interface KeptNode {
  readonly key: readonly unknown[];
  readonly node: CanvasNode<NodeFace>;
}

interface KeptEdge {
  readonly key: string;
  readonly edge: CanvasEdge;
}

/** Elements of the canvas, the same objects as before wherever nothing that they show has changed. */
export class CanvasElements {
  #nodes = new Map<string, KeptNode>();
  #edges = new Map<string, KeptEdge>();

  nodes(analysis: Analysis, problems: readonly Problem[], labelOf: (face: NodeFace) => string): readonly CanvasNode<NodeFace>[] {
    const counts = new Map<string, number>();
    for (const { node } of problems) counts.set(node, (counts.get(node) ?? 0) + 1);
    const next = new Map<string, KeptNode>();
    for (const node of analysis.nodes) {
      const typing = analysis.typings.get(node.name);
      const key = [node, typing?.outputs, counts.get(node.name), labelOf];
      const known = this.#nodes.get(node.name);
      const isSame = known?.key.every((part, i) => part === key[i]) ?? false;
      next.set(node.name, known && isSame ? known : { key, node: canvasNode(node, analysis, counts.get(node.name) ?? 0, labelOf) });
    }
    this.#nodes = next;
    return [...next.values()].map(({ node }) => node);
  }

  edges(analysis: Analysis, labelOf: (from: string, to: string, slot: string) => string): readonly CanvasEdge[] {
    const next = new Map<string, KeptEdge>();
    for (const edge of allEdges(analysis, labelOf)) {
      const key = JSON.stringify(edge);
      const known = this.#edges.get(edge.id);
      next.set(edge.id, known?.key === key ? known : { key, edge });
    }
    this.#edges = next;
    return [...next.values()].map(({ edge }) => edge);
  }
}

function canvasNode(node: DocumentNode, analysis: Analysis, problems: number, labelOf: (face: NodeFace) => string): CanvasNode<NodeFace> {
  const typing = analysis.typings.get(node.name);
  const outputs = typing?.outputs ?? [];
  const [first] = outputs;
  const data: NodeFace = { node, what: whatOf(node), type: first ? typeText(first) : '', problems };
  const names = typing?.outputNames ?? [];
  const ports = outputs.map((output, i) => ({ id: String(i), label: `${names[i] ?? ''} ${typeText(output)}` }));
  return {
    id: node.name,
    x: node.x,
    y: node.y,
    ...sizeOf(node, outputs.length),
    kind: node.kind,
    label: labelOf(data),
    data,
    inputs: inputPorts(node),
    outputs: ports.length === 0 ? [{ id: CONTROL_PORT, label: '' }] : ports,
  };
}

function allEdges(analysis: Analysis, labelOf: (from: string, to: string, slot: string) => string): readonly CanvasEdge[] {
  return analysis.nodes.flatMap((node) => {
    const slots = slotsOf(node) ?? [];
    const data = node.inputs.flatMap((input, slot) =>
      referencesIn(input).map((from, at) => ({
        ...edgeFrom(from),
        id: edgeId(node.name, slot, at),
        to: node.name,
        toPort: String(slot),
        kind: 'data',
        label: labelOf(from, node.name, slots[slot]?.name ?? ''),
      })),
    );
    const control = node.control.map((from, at) => {
      const fromPort = outputCount(analysis, from) === 0 ? CONTROL_PORT : '0';
      const toPort = slots.length === 0 ? CONTROL_PORT : '0';
      return {
        id: edgeId(node.name, CONTROL_SLOT, at),
        from,
        fromPort,
        to: node.name,
        toPort,
        kind: 'control',
        label: labelOf(from, node.name, ''),
      };
    });
    // An edge needs both of its ends.
    return [...data, ...control].filter(({ from, fromPort }) => hasOutput(analysis, from, fromPort));
  });
}

function edgeFrom(reference: Reference): Pick<CanvasEdge, 'from' | 'fromPort'> {
  const { node, output } = parseInputName(reference);
  return { from: node, fromPort: String(output) };
}

function hasOutput(analysis: Analysis, name: string, port: string): boolean {
  return analysis.typings.has(name) && (port === CONTROL_PORT || Number(port) < Math.max(1, outputCount(analysis, name)));
}

export function edgeId(to: string, slot: number, position: number): string {
  return `${slot}:${position}:${to}`;
}

export interface EdgePlace {
  readonly node: string;
  readonly slot: number;
  readonly position: number;
}

/** Undefined for the id of a node. */
export function parseEdgeId(id: string): EdgePlace | undefined {
  const [, slot, position, node] = /^(-?\d+):(\d+):(.*)$/s.exec(id) ?? [];
  return node === undefined ? undefined : { node, slot: Number(slot), position: Number(position) };
}

/** A connection that is drawn, as what is connected to what. */
export function joinOf({ from, fromPort, to, toPort }: Pick<CanvasEdge, 'from' | 'fromPort' | 'to' | 'toPort'>): {
  readonly from: Reference;
  readonly to: { readonly node: string; readonly slot: number };
} {
  const isControl = fromPort === CONTROL_PORT || toPort === CONTROL_PORT;
  const output = isControl ? 0 : Number(fromPort || 0);
  return { from: formatInputName({ node: from, output }), to: { node: to, slot: isControl ? CONTROL_SLOT : Number(toPort || 0) } };
}
