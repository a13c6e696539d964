import type { DocumentNode, GraphDocument, NodeKind } from '#proto/graph-document/document.ts';
import { compositeSlots, emptySlots, opSlots } from '#proto/graph-document/slots.ts';
import { uniqueName } from './names.ts';

/** What the palette offers: an op, or a kind of composite node; with an op for the reductions, a kind of optimizer. */
export type Item =
  | { readonly kind: 'op'; readonly op: string; readonly name: string }
  | { readonly kind: 'reduce'; readonly op: 'Mean' | 'Sum' | 'Max' | 'Min' | 'Prod'; readonly name: string }
  | { readonly kind: Exclude<NodeKind, 'op' | 'reduce'>; readonly name: string };

/** A new node of that kind with nothing connected. */
export function newNode(
  { nodes }: Pick<GraphDocument, 'nodes'>,
  item: Item,
  { x, y }: { readonly x: number; readonly y: number },
): DocumentNode {
  const name = uniqueName(
    item.name,
    nodes.map((node) => node.name),
  );
  const common = { name, control: [], device: '', x: Math.round(x), y: Math.round(y) };
  switch (item.kind) {
    case 'op':
      return { ...common, kind: 'op', op: item.op, attrs: {}, inputs: emptySlots(opSlots(item.op) ?? []) };
    case 'reduce':
      return { ...common, kind: 'reduce', op: item.op, axes: null, keepDims: false, inputs: emptySlots(compositeSlots.reduce) };
    case 'constant':
      return { ...common, kind: 'constant', dtype: 'float', shape: null, value: 0, inputs: [] };
    case 'placeholder':
      return { ...common, kind: 'placeholder', dtype: 'float', shape: null, inputs: [] };
    case 'variable':
      return {
        ...common,
        kind: 'variable',
        dtype: 'float',
        shape: null,
        initial: { initializer: 'value', value: 0 },
        trainable: true,
        inputs: [],
      };
    case 'gradients':
      return { ...common, kind: 'gradients', inputs: emptySlots(compositeSlots.gradients) };
    case 'optimizer': {
      const inputs = emptySlots(compositeSlots.optimizer);
      return { ...common, kind: 'optimizer', optimizer: 'GradientDescent', learningRate: 0.1, momentum: 0.9, inputs };
    }
  }
}
