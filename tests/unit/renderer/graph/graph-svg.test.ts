import { expect, it } from 'vitest';
import { quickLayout } from '../../../../renderer/components/graph-canvas/quick-layout.ts';
import { modelGraph } from '../../../../renderer/features/graph/graph-model.ts';
import { graphSvg } from '../../../../renderer/features/graph/graph-svg.ts';
import { lookOf, sizeOf } from '../../../../renderer/features/graph/node-look.ts';
import { visibleGraph } from '../../../../renderer/features/graph/visible-graph.ts';
import { graphOf } from './graph-of.ts';

const model = modelGraph(
  graphOf(
    'x = Placeholder @ /job:worker/task:0\ns/a = Const\ns/b = Mul(x, s/a) @ /job:ps/task:0\nt/c = Identity(s/b, ^x) @ /job:ps/task:0',
  ),
);
const requested = (name: string) => model.nodes.get(name)?.device ?? '';
const facts = { placed: requested, requested, isPinned: () => false, isMoved: () => false, hasProblem: () => false };

it('draws frames, edges and cards, with the colours of their devices', () => {
  const { items, edges } = visibleGraph(model, new Set(['s/']), requested);
  const nodes = items.map((item) => ({ id: item.id, ...sizeOf(item), parent: item.parent || undefined }));
  const layout = quickLayout({ nodes, edges, direction: 'right' });
  const looks = items.map((item) => lookOf(model, facts, 'placed', item));
  const svg = graphSvg({ title: 'a < b', looks, edges, layout, direction: 'right', color: (css) => `color of ${css}` });
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 \d+ \d+" width="\d+" height="\d+"/);
  expect(svg).toContain('a &#60; b');
  expect(svg.match(/marker-end/g)).toHaveLength(edges.length);
  expect(svg).toContain('>s/  2<');
  expect(svg).toContain('>Mul · float[2]<');
  expect(svg).toContain('fill="color of var(--device-1)"');
  expect(svg.match(/stroke-dasharray/g)).toHaveLength(1);
});
