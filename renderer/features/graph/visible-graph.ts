import { isElsewhere } from './devices.ts';
import { type GraphModel, type GraphNode, type Scope, scopesAround } from './graph-model.ts';

/** Ids are the names of nodes, and of scopes with a `/` behind them. */
export type VisibleItem =
  | { readonly kind: 'node'; readonly id: string; readonly parent: string; readonly node: GraphNode }
  | { readonly kind: 'scope'; readonly id: string; readonly parent: string; readonly scope: Scope; readonly isOpen: boolean };

export interface VisibleEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly isControl: boolean;
  /** Goes from one device to another one; so does at least one of the edges that it stands for. */
  readonly isCrossing: boolean;
  /** Edges of the graph that it stands for. */
  readonly count: number;
}

export interface VisibleGraph {
  /** Open scopes before what they hold. */
  readonly items: readonly VisibleItem[];
  readonly edges: readonly VisibleEdge[];
}

/** As many as can be taken in at a glance. */
const AT_FIRST = 30;

/** The scopes to begin with: level by level from the outside in, as long as not too much is shown. */
export function openAtFirst(model: GraphModel, most = AT_FIRST): ReadonlySet<string> {
  const open = new Set<string>();
  const childrenOf = (name: string) => model.scopes.get(name)?.scopes ?? [];
  const sizeOf = (name: string) => childrenOf(name).length + (model.scopes.get(name)?.nodes.length ?? 0);
  let shown = sizeOf('');
  let level = childrenOf('');
  while (level.length > 0) {
    shown += level.reduce((sum, name) => sum + sizeOf(name), 0);
    if (shown > most) break;
    for (const name of level) open.add(name);
    level = level.flatMap(childrenOf);
  }
  return open;
}

/** What is shown while these scopes are open. `deviceOf` tells where a node is; empty when that is not known. */
export function visibleGraph(model: GraphModel, open: ReadonlySet<string>, deviceOf: (name: string) => string): VisibleGraph {
  const items: VisibleItem[] = [];
  const shownAs = new Map<string, string>();
  const visit = (name: string, hiddenIn: string | undefined) => {
    const scope = model.scopes.get(name);
    if (!scope) return;
    for (const node of scope.nodes) {
      shownAs.set(node.name, hiddenIn ?? node.name);
      if (hiddenIn === undefined) items.push({ kind: 'node', id: node.name, parent: name, node });
    }
    for (const inner of scope.scopes) {
      const innerScope = model.scopes.get(inner);
      if (!innerScope) continue;
      const isOpen = hiddenIn === undefined && open.has(inner);
      if (hiddenIn === undefined) items.push({ kind: 'scope', id: inner, parent: name, scope: innerScope, isOpen });
      visit(inner, isOpen ? undefined : (hiddenIn ?? inner));
    }
  };
  visit('', undefined);
  return { items, edges: mergeEdges(model, shownAs, deviceOf) };
}

/** What stands for a node now: itself, or the outermost closed scope around it. */
export function shownFor(model: GraphModel, open: ReadonlySet<string>, name: string): string {
  const inside = name.endsWith('/') ? (scopesAround(name)[1] ?? '') : (model.nodes.get(name)?.scope ?? '');
  const closed = scopesAround(inside).filter((scope) => scope !== '' && !open.has(scope));
  return closed.at(-1) ?? name;
}

/** The open scopes with all around a node or scope, so that it is shown. */
export function openAround(model: GraphModel, open: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const inside = name.endsWith('/') ? (scopesAround(name)[1] ?? '') : (model.nodes.get(name)?.scope ?? '');
  return new Set([...open, ...scopesAround(inside).filter((scope) => scope !== '')]);
}

/** Opens a scope, and on through scopes that hold nothing but one scope; or closes it. */
export function toggleScope(model: GraphModel, open: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(open);
  if (next.delete(name)) return next;
  for (let scope = model.scopes.get(name); scope; ) {
    next.add(scope.name);
    const [only = '', ...others] = scope.scopes;
    scope = others.length === 0 && scope.nodes.length === 0 ? model.scopes.get(only) : undefined;
  }
  return next;
}

interface Growing {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly isControl: boolean;
  isCrossing: boolean;
  count: number;
}

function mergeEdges(model: GraphModel, shownAs: ReadonlyMap<string, string>, deviceOf: (name: string) => string): readonly VisibleEdge[] {
  const merged = new Map<string, Growing>();
  const known = new Map<string, boolean>();
  /** Few pairs of devices for thousands of edges. */
  const isCrossing = (a: string, b: string) => {
    const pair = `${a} ${b}`;
    const crossing = known.get(pair) ?? isElsewhere(a, b);
    known.set(pair, crossing);
    return crossing;
  };
  for (const { from, to, isControl } of model.edges) {
    const [start, end] = [shownAs.get(from) ?? from, shownAs.get(to) ?? to];
    if (start === end) continue;
    const id = `${start}${isControl ? ' ^ ' : ' > '}${end}`;
    const edge = merged.get(id) ?? { id, from: start, to: end, isControl, isCrossing: false, count: 0 };
    merged.set(id, edge);
    edge.count++;
    edge.isCrossing ||= isCrossing(deviceOf(from), deviceOf(to));
  }
  return [...merged.values()];
}
