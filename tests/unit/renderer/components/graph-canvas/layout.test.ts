import ELK from 'elkjs/lib/elk.bundled.js';
import { describe, expect, it } from 'vitest';
import { fromElk, toElk } from '../../../../../renderer/components/graph-canvas/elk-graph.ts';
import type { Layout, LayoutRequest } from '../../../../../renderer/components/graph-canvas/layout.ts';
import { quickLayout } from '../../../../../renderer/components/graph-canvas/quick-layout.ts';
import type { Box } from '../../../../../renderer/components/graph-canvas/viewport.ts';

const elk = async (request: LayoutRequest) => fromElk(await new ELK().layout(toElk(request)));

/** Pieces of a graph in boxes of boxes, with a circle and a long chain. */
function request(direction: LayoutRequest['direction'], chain: number): LayoutRequest {
  const node = (id: string, parent?: string) => ({ id, width: 120, height: 40, parent });
  const links = Array.from({ length: chain }, (_, at) => `n${at}`);
  return {
    direction,
    nodes: [
      ...links.map((id) => node(id)),
      node('box'),
      node('inner', 'box'),
      node('p', 'inner'),
      node('q', 'inner'),
      node('r', 'box'),
      node('alone'),
    ],
    edges: [
      ...links.slice(1).map((id, at) => ({ id: `e${at}`, from: `n${at}`, to: id })),
      { id: 'in', from: 'n0', to: 'p' },
      { id: 'pq', from: 'p', to: 'q' },
      { id: 'qr', from: 'q', to: 'r' },
      { id: 'back', from: 'r', to: 'p' },
      { id: 'out', from: 'r', to: links.at(-1) ?? '' },
    ],
  };
}

const overlap = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const within = (inner: Box, outer: Box) =>
  inner.x >= outer.x &&
  inner.y >= outer.y &&
  inner.x + inner.width <= outer.x + outer.width &&
  inner.y + inner.height <= outer.y + outer.height;

function expectNoOverlaps({ nodes }: LayoutRequest, { boxes }: Layout) {
  const boxOf = (id: string) => boxes.get(id) ?? { x: 0, y: 0, width: 0, height: 0 };
  const wrong = nodes.flatMap((a, at) =>
    nodes.slice(at + 1).flatMap((b) => {
      if (b.parent === a.id) return within(boxOf(b.id), boxOf(a.id)) ? [] : [`${b.id} sticks out of ${a.id}`];
      return a.parent === b.parent && overlap(boxOf(a.id), boxOf(b.id)) ? [`${a.id} and ${b.id} overlap`] : [];
    }),
  );
  expect(wrong).toEqual([]);
  expect(boxes.size).toBe(nodes.length);
}

describe.each([
  ['ELK', elk],
  ['the quick layout', async (wanted: LayoutRequest) => quickLayout(wanted)],
])('%s', (_name, layout) => {
  it.each(['right', 'down'] as const)('keeps nodes apart and inside their boxes, edges going %s', async (direction) => {
    const wanted = request(direction, 5);
    const laidOut = await layout(wanted);
    expectNoOverlaps(wanted, laidOut);
    const [first, last] = [laidOut.boxes.get('n0'), laidOut.boxes.get('n4')];
    const axis = direction === 'right' ? 'x' : 'y';
    expect(first?.[axis]).toBeLessThan(last?.[axis] ?? 0);
  });

  it('breaks a long chain into rows', async () => {
    const wanted = request('right', 40);
    const laidOut = await layout(wanted);
    expectNoOverlaps(wanted, laidOut);
    const right = Math.max(...[...laidOut.boxes.values()].map(({ x, width }) => x + width));
    expect(right).toBeLessThan((40 * 170) / 2);
  });
});

describe('ELK', () => {
  it('routes each edge from the border of one node to that of the other', async () => {
    const wanted = request('right', 5);
    const { boxes, routes } = await elk(wanted);
    for (const { id, from, to } of wanted.edges) {
      const route = routes.get(id) ?? [];
      const touches = (node: string, point: { x: number; y: number } | undefined) =>
        point !== undefined && within({ ...point, width: 0, height: 0 }, grow(boxes.get(node)));
      expect([id, touches(from, route[0]), touches(to, route.at(-1))]).toEqual([id, true, true]);
    }
  });

  const grow = (box: Box | undefined): Box => ({
    x: (box?.x ?? 0) - 1,
    y: (box?.y ?? 0) - 1,
    width: (box?.width ?? 0) + 2,
    height: (box?.height ?? 0) + 2,
  });
});

describe('the quick layout', () => {
  it('takes 2 000 nodes with 4 000 edges in less than 300 ms', () => {
    const nodes = Array.from({ length: 2000 }, (_, at) => ({ id: `${at}`, width: 140, height: 60 }));
    const edges = Array.from({ length: 4000 }, (_, at) => ({
      id: `${at}`,
      from: `${(at * 7) % 1990}`,
      to: `${((at * 7) % 1990) + 1 + (at % 9)}`,
    }));
    const times = Array.from({ length: 4 }, () => {
      const before = process.cpuUsage();
      expect(quickLayout({ nodes, edges, direction: 'right' }).boxes.size).toBe(2000);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(300);
  });
});
