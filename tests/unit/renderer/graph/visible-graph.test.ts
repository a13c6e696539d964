import { describe, expect, it } from 'vitest';
import { modelGraph } from '../../../../renderer/features/graph/graph-model.ts';
import { openAround, openAtFirst, shownFor, toggleScope, visibleGraph } from '../../../../renderer/features/graph/visible-graph.ts';
import { bigGraph, graphOf } from './graph-of.ts';

const view = graphOf(`
  x = Placeholder @ /job:worker/task:0
  a/v = VariableV2 @ /job:ps/task:0
  a/read = Identity(a/v) @ /job:ps/task:0
  a/in/mul = Mul(x, a/read) @ /job:worker/task:0
  a/in/add = Add(a/in/mul, a/read, ^x) @ /job:worker/task:0
  out = Identity(a/in/add, a/in/mul) @ /job:worker/task:0
`);
const model = modelGraph(view);
const requested = (name: string) => model.nodes.get(name)?.device ?? '';
const edgesOf = (open: readonly string[]) =>
  Object.fromEntries(
    visibleGraph(model, new Set(open), requested).edges.map(({ id, count, isCrossing }) => [
      id,
      `${count}${isCrossing ? ' crossing' : ''}`,
    ]),
  );

describe('visibleGraph', () => {
  it('merges the edges of what is closed and leaves out those inside', () => {
    expect(edgesOf([])).toEqual({ 'x > a/': '1', 'x ^ a/': '1', 'a/ > out': '2' });
  });

  it('shows more with each scope that is open, and knows which edges go between devices', () => {
    expect(edgesOf(['a/'])).toEqual({
      'a/v > a/read': '1',
      'x > a/in/': '1',
      'x ^ a/in/': '1',
      'a/read > a/in/': '2 crossing',
      'a/in/ > out': '2',
    });
  });

  it('lists open scopes before what they hold', () => {
    const ids = visibleGraph(model, new Set(['a/', 'a/in/']), requested).items.map(({ id }) => id);
    expect(ids.indexOf('a/')).toBeLessThan(ids.indexOf('a/v'));
    expect(ids.indexOf('a/in/')).toBeLessThan(ids.indexOf('a/in/mul'));
    expect(ids).toHaveLength(8);
  });

  it('hides what is open inside something closed', () => {
    expect(visibleGraph(model, new Set(['a/in/']), requested).items.map(({ id }) => id)).toEqual(['x', 'out', 'a/']);
  });

  it('takes 2 000 nodes, all open, in less than 50 ms', () => {
    const big = modelGraph(bigGraph());
    const open = new Set([...big.scopes.keys()].filter(Boolean));
    const times = Array.from({ length: 8 }, () => {
      const before = process.cpuUsage();
      expect(visibleGraph(big, open, (name) => big.nodes.get(name)?.device ?? '').items.length).toBeGreaterThan(2000);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(50);
  });
});

describe('openAtFirst', () => {
  it('opens level by level as long as not too much is shown', () => {
    expect([...openAtFirst(model, 5)]).toEqual([]);
    expect([...openAtFirst(model, 6)]).toEqual(['a/']);
    expect([...openAtFirst(model, 8)]).toEqual(['a/', 'a/in/']);
  });
});

describe('toggleScope', () => {
  it('opens on through scopes that hold nothing but one scope', () => {
    const deep = modelGraph(graphOf('a/b/c/x = Const\na/b/c/y = Const\nz = Const'));
    expect([...toggleScope(deep, new Set(), 'a/')]).toEqual(['a/', 'a/b/', 'a/b/c/']);
  });

  it('closes what is open', () => {
    expect([...toggleScope(model, new Set(['a/']), 'a/')]).toEqual([]);
  });
});

describe('what stands for a node', () => {
  it('is the outermost closed scope around it', () => {
    expect(shownFor(model, new Set(), 'a/in/mul')).toBe('a/');
    expect(shownFor(model, new Set(['a/']), 'a/in/mul')).toBe('a/in/');
    expect(shownFor(model, new Set(['a/', 'a/in/']), 'a/in/mul')).toBe('a/in/mul');
    expect(shownFor(model, new Set(['a/']), 'a/in/')).toBe('a/in/');
  });

  it('is itself once all around it is open', () => {
    expect(shownFor(model, openAround(model, new Set(), 'a/in/mul'), 'a/in/mul')).toBe('a/in/mul');
    expect([...openAround(model, new Set(), 'a/in/')]).toEqual(['a/']);
  });
});
