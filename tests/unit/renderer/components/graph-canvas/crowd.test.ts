import { describe, expect, it } from 'vitest';
import { isCrowded, linesByKind, nodeAt, shapesByColor } from '../../../../../renderer/components/graph-canvas/crowd.ts';

const at = (id: string, x: number, y: number, beneath = false) => ({
  id,
  x,
  y,
  width: 100,
  height: 40,
  kind: id,
  label: id,
  data: undefined,
  beneath,
});
const many = Array.from({ length: 600 }, (_, i) => at(`${i}`, (i % 30) * 150, Math.floor(i / 30) * 60));

describe('a crowd', () => {
  it('is what cannot be drawn as elements: many nodes in sight', () => {
    const screen = { width: 900, height: 600 };
    expect(isCrowded(many, { x: 0, y: 0, zoom: 0.2 }, screen)).toBe(true);
    expect(isCrowded(many, { x: 0, y: 0, zoom: 1 }, screen)).toBe(false);
    expect(isCrowded(many, { x: -100_000, y: 0, zoom: 0.2 }, screen)).toBe(false);
    expect(isCrowded(many.slice(0, 200), { x: 0, y: 0, zoom: 0.1 }, screen)).toBe(false);
  });

  it('has one shape for each colour and one line for each kind of edge', () => {
    const nodes = [at('a', 0, 0), at('b', 200, 0), at('c', 200, 100)];
    expect([...shapesByColor(nodes, ({ id }) => (id === 'a' ? 'red' : 'blue'))]).toEqual([
      ['red', 'M0 0h100v40h-100z'],
      ['blue', 'M200 0h100v40h-100zM200 100h100v40h-100z'],
    ]);
    const edge = { id: 'ab', from: 'a', fromPort: '', to: 'b', toPort: '', kind: 'data', label: '' };
    expect([...linesByKind(nodes, [edge, { ...edge, id: 'gone', to: 'nowhere' }], 'right')]).toEqual([
      ['data', 'M100 20C150 20 150 20 200 20'],
    ]);
  });

  it('is pointed at node by node, boxes last', () => {
    const nodes = [{ ...at('box', 0, 0, true), width: 500, height: 500 }, at('a', 10, 10)];
    expect(nodeAt(nodes, { x: 20, y: 20 })?.id).toBe('a');
    expect(nodeAt(nodes, { x: 300, y: 300 })?.id).toBe('box');
    expect(nodeAt(nodes, { x: 900, y: 0 })).toBeUndefined();
  });
});
