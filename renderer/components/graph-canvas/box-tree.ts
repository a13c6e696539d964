import type { LayoutEdge, LayoutNode } from './layout.ts';

/** Who is in which box, and the edges between the members of each box. The box around everything is called ''. */
export class BoxTree {
  readonly members = new Map<string, LayoutNode[]>();
  /** An edge between two boxes counts where both are members; its ends are those members. */
  readonly edges = new Map<string, LayoutEdge[]>();
  readonly #parents = new Map<string, string>();

  constructor(nodes: readonly LayoutNode[], edges: readonly LayoutEdge[]) {
    for (const node of nodes) {
      this.#parents.set(node.id, node.parent ?? '');
      pushTo(this.members, node.parent ?? '', node);
    }
    for (const edge of edges) this.#lift(edge);
  }

  #lift({ id, from, to }: LayoutEdge): void {
    const above = this.#pathOf(from);
    let below = to;
    let parent = this.#parents.get(to);
    while (parent !== undefined) {
      const meeting = above.get(parent);
      if (meeting !== undefined) {
        if (meeting !== below) pushTo(this.edges, parent, { id, from: meeting, to: below });
        return;
      }
      below = parent;
      parent = this.#parents.get(parent);
    }
  }

  /** By box that it is in, near or far: the member of that box which it is in, or is. */
  #pathOf(id: string): ReadonlyMap<string, string> {
    const path = new Map<string, string>();
    let member = id;
    let parent = this.#parents.get(id);
    while (parent !== undefined) {
      path.set(parent, member);
      member = parent;
      parent = this.#parents.get(parent);
    }
    return path;
  }
}

function pushTo<V>(lists: Map<string, V[]>, key: string, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
