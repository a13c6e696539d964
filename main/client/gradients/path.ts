import type { Node, Output } from '../graph/node.ts';

/**
 * The nodes on a data path from any of the xs to any of the ys, each after all of its consumers among them. A path does not go
 * back through an output that `isEnd`.
 */
export function nodesBetween(xs: readonly Output[], ys: readonly Output[], isEnd: (output: Output) => boolean): Node[] {
  const sources = new Set(xs);
  const order: Node[] = [];
  const leadsToX = new Map<Node, boolean>();

  /** Post-order: a node comes after its inputs; recursion would overflow on deep graphs, so the stack is explicit. */
  const visit = (start: Node): void => {
    const stack: { node: Node; next: number }[] = [{ node: start, next: 0 }];
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const input = top.node.inputs[top.next++];
      if (input) {
        if (!isEnd(input) && !leadsToX.has(input.node)) {
          leadsToX.set(input.node, false);
          stack.push({ node: input.node, next: 0 });
        }
        continue;
      }
      stack.pop();
      const leads = top.node.inputs.some((each) => sources.has(each) || (!isEnd(each) && leadsToX.get(each.node)));
      leadsToX.set(top.node, leads);
      if (leads) order.push(top.node);
    }
  };

  for (const y of ys) {
    if (isEnd(y) || leadsToX.has(y.node)) continue;
    leadsToX.set(y.node, false);
    visit(y.node);
  }
  return order.reverse();
}
