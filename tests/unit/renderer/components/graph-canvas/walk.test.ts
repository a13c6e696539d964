import { describe, expect, it } from 'vitest';
import { walk, wayOf } from '../../../../../renderer/components/graph-canvas/walk.ts';

const at = (id: string, x: number, y: number, beneath = false) => ({
  id,
  x,
  y,
  width: 100,
  height: 40,
  kind: '',
  label: id,
  data: undefined,
  beneath,
});
const nodes = [at('box', -10, -10, true), at('a', 0, 0), at('b', 0, 100), at('c', 200, 20), at('d', 200, 120), at('e', 400, 300)];
const edges = [
  { from: 'a', to: 'c' },
  { from: 'b', to: 'c' },
  { from: 'c', to: 'e' },
  { from: 'b', to: 'd' },
];
const go = (from: string, way: Parameters<typeof walk>[3]) => walk(nodes, edges, from, way, 'right')?.id;

describe('walking', () => {
  it('begins at the beginning', () => {
    expect(go('', 'consumers')).toBe('a');
  });

  it('follows edges to the input or consumer that lies nearest', () => {
    expect(go('c', 'inputs')).toBe('a');
    expect(go('b', 'consumers')).toBe('d');
    expect(go('e', 'consumers')).toBeUndefined();
  });

  it('goes to the neighbours in a layer, and to others only beyond its end', () => {
    expect(go('a', 'after')).toBe('b');
    expect(go('d', 'before')).toBe('c');
    expect(go('d', 'after')).toBe('e');
    expect(go('a', 'before')).toBeUndefined();
  });

  it('turns with the direction of the edges', () => {
    expect(wayOf('ArrowLeft', 'right')).toBe('inputs');
    expect(wayOf('ArrowUp', 'down')).toBe('inputs');
    expect(wayOf('ArrowLeft', 'down')).toBe('before');
    expect(wayOf('x', 'down')).toBeUndefined();
  });
});
