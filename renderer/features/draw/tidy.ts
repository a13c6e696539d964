import type { Analysis } from '#proto/graph-document/analysis.ts';
import { neededBy } from '#proto/graph-document/document-order.ts';
import type { Layouter } from '../../components/graph-canvas/layouter.ts';
import { outputCount, sizeOf } from './canvas-elements.ts';
import { type Command, move } from './model/commands.ts';

/** Puts every node where the flow of the graph wants it. */
export async function tidy(layouter: Pick<Layouter, 'layout'>, analysis: Analysis): Promise<Command> {
  const nodes = analysis.nodes.map((node) => ({ id: node.name, ...sizeOf(node, outputCount(analysis, node.name)) }));
  const known = new Set(nodes.map(({ id }) => id));
  const edges = analysis.nodes.flatMap((node) =>
    neededBy(node)
      .filter((from) => known.has(from))
      .map((from, at) => ({ id: `${at} ${node.name}`, from, to: node.name })),
  );
  const { boxes } = await layouter.layout({ nodes, edges, direction: 'right' });
  return move(new Map([...boxes].map(([name, { x, y }]) => [name, { x: Math.round(x), y: Math.round(y) }])));
}
