import { describe, expect, it } from 'vitest';
import { modelGraph, nodesWithin, scopesAround } from '../../../../renderer/features/graph/graph-model.ts';
import { bigGraph, graphOf } from './graph-of.ts';

const model = modelGraph(
  graphOf(`
    x = Placeholder
    w = VariableV2 @ /job:ps/task:0
    w/read = Identity(w)
    train/gradients/mul = Mul(x, w/read, x, ^train/init)
    train/gradients/mul/y = Const
    train/init
  `),
);

describe('modelGraph', () => {
  it('makes a tree of scopes, with the size of each', () => {
    const sizes = Object.fromEntries([...model.scopes].map(([name, { size }]) => [name, size]));
    expect(sizes).toEqual({ '': 6, 'w/': 2, 'train/': 3, 'train/gradients/': 2, 'train/gradients/mul/': 2 });
    expect(model.scopes.get('train/')?.scopes).toEqual(['train/gradients/']);
  });

  it('shows a node that has the name of a scope in that scope', () => {
    expect(model.nodes.get('w')?.scope).toBe('w/');
    expect(nodesWithin(model, 'train/gradients/').map(({ name }) => name)).toEqual(['train/gradients/mul', 'train/gradients/mul/y']);
  });

  it('has each edge once, control edges apart', () => {
    expect(model.edges).toEqual([
      { from: 'w', to: 'w/read', isControl: false },
      { from: 'x', to: 'train/gradients/mul', isControl: false },
      { from: 'w/read', to: 'train/gradients/mul', isControl: false },
      { from: 'train/init', to: 'train/gradients/mul', isControl: true },
    ]);
  });

  it('leaves out edges from nodes that are not in the graph', () => {
    expect(modelGraph(graphOf('a = Identity(gone)')).edges).toEqual([]);
  });

  it('takes 2 000 nodes with 4 000 edges in less than 50 ms', () => {
    const view = bigGraph();
    expect(view.names.length).toBe(2000);
    const times = Array.from({ length: 8 }, () => {
      const before = process.cpuUsage();
      expect(modelGraph(view).edges.length).toBeGreaterThanOrEqual(4000);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });
});

describe('scopesAround', () => {
  it('goes from the scope outwards to the whole graph', () => {
    expect(scopesAround('a/b/c/')).toEqual(['a/b/c/', 'a/b/', 'a/', '']);
    expect(scopesAround('')).toEqual(['']);
  });
});
