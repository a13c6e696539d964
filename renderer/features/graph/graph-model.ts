import type { GraphView } from '#proto/ipc/contract.ts';
import { CONTROL, parseInputName } from '#proto/wire/tensor-name.ts';

export interface GraphNode {
  readonly name: string;
  /** Last part of its name. */
  readonly title: string;
  readonly op: string;
  /** As the program asks for it; empty where it does not mind. */
  readonly device: string;
  /** Type and shape of each output. */
  readonly outputs: readonly string[];
  /** Name of the innermost scope that it is shown in, with a `/` behind it; empty outside all scopes. */
  readonly scope: string;
}

export interface Scope {
  /** With a `/` behind it; empty for the whole graph. */
  readonly name: string;
  /** Last part of its name. */
  readonly title: string;
  readonly parent: string | undefined;
  readonly scopes: string[];
  /** Nodes that are in it and in no inner scope. */
  readonly nodes: GraphNode[];
  /** All that are in it, near or far. */
  size: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly isControl: boolean;
}

/** A graph as a tree of scopes. A node that has the name of a scope is shown in that scope: `w` in `w/`, beside `w/read`. */
export interface GraphModel {
  readonly nodes: ReadonlyMap<string, GraphNode>;
  readonly scopes: ReadonlyMap<string, Scope>;
  readonly edges: readonly GraphEdge[];
}

export function modelGraph(view: Pick<GraphView, 'names' | 'ops' | 'devices' | 'inputs' | 'outputs'>): GraphModel {
  const scopes = new Map<string, Scope>();
  const nodes = new Map<string, GraphNode>();
  scopes.set('', emptyScope('', undefined));
  for (const name of view.names) openScope(scopes, name.slice(0, name.lastIndexOf('/') + 1));
  view.names.forEach((name, at) => {
    const scope = scopes.get(`${name}/`) ?? scopes.get(name.slice(0, name.lastIndexOf('/') + 1));
    const node: GraphNode = {
      name,
      title: titleOf(name),
      op: view.ops[at] ?? '',
      device: view.devices[at] ?? '',
      outputs: view.outputs[at] ?? [],
      scope: scope?.name ?? '',
    };
    nodes.set(name, node);
    scope?.nodes.push(node);
    for (const around of scopesAround(node.scope)) {
      const each = scopes.get(around);
      if (each) each.size++;
    }
  });
  return { nodes, scopes, edges: edgesOf(view, nodes) };
}

/** The last part of the name of a node or a scope. */
export function titleOf(name: string): string {
  const bare = name.endsWith('/') ? name.slice(0, -1) : name;
  return bare.slice(bare.lastIndexOf('/') + 1);
}

/** A scope and all around it, the innermost first, the whole graph last. */
export function scopesAround(scope: string): readonly string[] {
  const all = [scope];
  let inner = scope;
  while (inner !== '') {
    inner = inner.slice(0, inner.lastIndexOf('/', inner.length - 2) + 1);
    all.push(inner);
  }
  return all;
}

/** All nodes in a scope, near or far. */
export function nodesWithin(model: GraphModel, scope: string): readonly GraphNode[] {
  const found = model.scopes.get(scope);
  if (!found) return [];
  return [...found.nodes, ...found.scopes.flatMap((inner) => nodesWithin(model, inner))];
}

function openScope(scopes: Map<string, Scope>, name: string): void {
  if (scopes.has(name)) return;
  const parent = scopesAround(name)[1] ?? '';
  openScope(scopes, parent);
  scopes.set(name, emptyScope(name, parent));
  scopes.get(parent)?.scopes.push(name);
}

function emptyScope(name: string, parent: string | undefined): Scope {
  return { name, title: titleOf(name), parent, scopes: [], nodes: [], size: 0 };
}

/** Every edge once: a node that takes a tensor twice has one edge to its producer. */
function edgesOf({ names, inputs }: Pick<GraphView, 'names' | 'inputs'>, nodes: ReadonlyMap<string, GraphNode>): readonly GraphEdge[] {
  const edges: GraphEdge[] = [];
  names.forEach((to, at) => {
    const seen = new Set<string>();
    for (const input of inputs[at] ?? []) {
      const { node: from, output } = parseInputName(input);
      const isControl = output === CONTROL;
      const key = isControl ? `^${from}` : from;
      if (seen.has(key) || !nodes.has(from)) continue;
      seen.add(key);
      edges.push({ from, to, isControl });
    }
  });
  return edges;
}
