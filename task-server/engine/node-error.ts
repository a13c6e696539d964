import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { GraphNode } from './graph.ts';

/**
 * Whatever was thrown on behalf of a node, with the node named the way clients look for it: `\n\t [[{{node w}}]]`. The
 * braces mark the first node of a chain, where the error arose; later ones (a Recv that passes it on) go without.
 */
export function attachNode(error: unknown, node: GraphNode): StatusError {
  const status = toStatusError(error);
  const name = status.message.includes('{{node ') ? node.name : nodeText(node);
  return status.withMessage(`${status.message}\n\t [[${name}]]`);
}

/** `{{node w}}`; the names that the client knows when a rewriter of graphs noted them. */
export function nodeText({ name, proto }: GraphNode): string {
  const original = proto.experimentalDebugInfo?.originalNodeNames ?? [];
  return (original.length > 0 ? original : [name]).map((each) => `{{node ${each}}}`).join(', ');
}
