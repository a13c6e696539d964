import { expect, it } from 'vitest';
import { effortOf } from '../../../../../renderer/components/graph-canvas/effort.ts';

const node = (id: string, parent?: string) => ({ id, width: 10, height: 10, parent });

it('counts nodes, the layers that edges pass, and layers outside of boxes', () => {
  const nodes = [node('a'), node('b'), node('c'), node('box'), node('x', 'box'), node('y', 'box')];
  const edges = [
    { id: '1', from: 'a', to: 'b' },
    { id: '2', from: 'b', to: 'c' },
    { id: '3', from: 'a', to: 'c' },
    { id: '4', from: 'c', to: 'x' },
    { id: '5', from: 'x', to: 'y' },
  ];
  expect(effortOf(nodes, edges)).toEqual({ depth: 4, passes: 6 + 1 + 1 + 2 + 1 + 1 });
});
