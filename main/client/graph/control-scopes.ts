import type { Node, Output } from './node.ts';

interface Scope {
  readonly inputs: readonly Node[];
  /** Nodes made within the scope: whatever depends on one of them needs no edge of its own. */
  readonly members: Set<Node>;
}

/** The nested `controlDependencies` scopes of a graph. */
export class ControlScopes {
  #stack: readonly Scope[] = [];

  within<T>(inputs: readonly Node[] | null, body: () => T): T {
    const outer = this.#stack;
    this.#stack = inputs === null ? [] : [...outer, { inputs, members: new Set() }];
    try {
      return body();
    } finally {
      this.#stack = outer;
    }
  }

  /** Control inputs of a new node with these data inputs. */
  inputsFor(data: readonly Output[]): Node[] {
    const needed = new Set<Node>();
    const sources = new Set(data.map(({ node }) => node));
    for (const { inputs, members } of this.#stack) {
      if ([...sources].some((source) => members.has(source))) continue;
      for (const input of inputs) if (!sources.has(input)) needed.add(input);
    }
    return [...needed];
  }

  add(node: Node): void {
    for (const { members } of this.#stack) members.add(node);
  }
}
