import type { LayoutEdge, LayoutNode } from './layout.ts';

/** A layer longer than this is broken into several: a column of hundreds cannot be read. */
const LONGEST = 40;
const SWEEPS = 4;

type Neighbours = ReadonlyMap<string, readonly string[]>;

/** Nodes by layer, each behind all that it depends on; edges that close a circle are left out of account. */
export function layersOf(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]): LayoutNode[][] {
  const followers = neighbours(edges, 'from', 'to');
  const order = sorted(nodes, followers);
  const turn = new Map(order.map((id, at) => [id, at]));
  const forward = (id: string) => (followers.get(id) ?? []).filter((next) => (turn.get(next) ?? -1) > (turn.get(id) ?? 0));
  const depth = new Map<string, number>();
  for (const id of order) {
    const here = depth.get(id) ?? 0;
    depth.set(id, here);
    for (const next of forward(id)) depth.set(next, Math.max(depth.get(next) ?? 0, here + 1));
  }
  // What waits for nothing, such as a constant, stands right before the first that uses it.
  const waits = new Set(order.flatMap(forward));
  for (const id of order) {
    const uses = forward(id).map((next) => depth.get(next) ?? 0);
    if (!waits.has(id) && uses.length > 0) depth.set(id, Math.min(...uses) - 1);
  }
  return byDepth(nodes, depth);
}

/** Puts nodes near those that they are joined with, sweeping to and fro over the layers. */
export function orderLayers(layers: readonly (readonly LayoutNode[])[], edges: readonly LayoutEdge[]): LayoutNode[][] {
  const before = neighbours(edges, 'to', 'from');
  const after = neighbours(edges, 'from', 'to');
  const place = new Map<string, number>();
  const note = (layer: readonly LayoutNode[]) => {
    for (const [at, { id }] of layer.entries()) place.set(id, (at + 0.5) / layer.length);
  };
  const ordered = layers.map((layer) => [...layer]);
  ordered.forEach(note);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const forth = sweep % 2 === 0;
    for (const layer of forth ? ordered : [...ordered].reverse()) {
      const wish = new Map(layer.map(({ id }) => [id, meanPlace((forth ? before : after).get(id), place) ?? place.get(id) ?? 0]));
      layer.sort((a, b) => (wish.get(a.id) ?? 0) - (wish.get(b.id) ?? 0));
      note(layer);
    }
  }
  return ordered;
}

function neighbours(edges: readonly LayoutEdge[], key: 'from' | 'to', value: 'from' | 'to'): Neighbours {
  const lists = new Map<string, string[]>();
  for (const edge of edges) {
    const list = lists.get(edge[key]);
    if (list) list.push(edge[value]);
    else lists.set(edge[key], [edge[value]]);
  }
  return lists;
}

/** Each node behind those that lead to it, as far as there are no circles. Without recursion: chains are thousands long. */
function sorted(nodes: readonly LayoutNode[], followers: Neighbours): readonly string[] {
  const seen = new Set<string>();
  const done: string[] = [];
  for (const { id } of nodes) {
    const path: { readonly id: string; next: number }[] = seen.has(id) ? [] : [{ id, next: 0 }];
    seen.add(id);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const follower = followers.get(top.id)?.[top.next++];
      if (follower === undefined) {
        done.push(top.id);
        path.pop();
      } else if (!seen.has(follower)) {
        seen.add(follower);
        path.push({ id: follower, next: 0 });
      }
    }
  }
  return done.reverse();
}

function byDepth(nodes: readonly LayoutNode[], depth: ReadonlyMap<string, number>): LayoutNode[][] {
  const layers = new Map<number, LayoutNode[]>();
  for (const node of nodes) {
    const at = depth.get(node.id) ?? 0;
    const layer = layers.get(at);
    if (layer) layer.push(node);
    else layers.set(at, [node]);
  }
  return [...layers]
    .sort(([a], [b]) => a - b)
    .flatMap(([, layer]) =>
      Array.from({ length: Math.ceil(layer.length / LONGEST) }, (_, part) => layer.slice(part * LONGEST, (part + 1) * LONGEST)),
    );
}

function meanPlace(ids: readonly string[] | undefined, place: ReadonlyMap<string, number>): number | undefined {
  if (!ids || ids.length === 0) return undefined;
  return ids.reduce((sum, id) => sum + (place.get(id) ?? 0.5), 0) / ids.length;
}
