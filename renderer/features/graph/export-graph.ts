import { svgToPng } from '../../plots/picture.ts';
import { lightColor } from '../../plots/theme.ts';
import type { App } from '../../stores/app.ts';
import type { GraphState } from './graph-state.svelte.ts';
import { graphSvg } from './graph-svg.ts';
import { lookOf } from './node-look.ts';

/** Browsers make no larger canvas. */
const LARGEST = 16_000;

/** The graph itself, with its pins, as the core writes it. */
export async function exportGraph({ core, shell, toasts, i18n }: App, { source }: GraphState, format: 'pb' | 'pbtxt'): Promise<void> {
  await toasts.guard(async () => {
    const { name, content } = await core.call('graphs.export', { ...source.query, format });
    if (await shell.saveFile(name, content)) toasts.say(i18n.text('graph.saved', { name }));
  });
}

/** The drawing as it is open now. */
export async function exportPicture({ shell, toasts, i18n }: App, graph: GraphState, title: string, format: 'svg' | 'png'): Promise<void> {
  await toasts.guard(async () => {
    const { visible, arranged } = graph;
    if (!visible || !arranged) return;
    const looks = visible.items.map((item) => lookOf(graph.model, graph.facts, graph.colouring, item));
    const svg = graphSvg({
      title,
      looks,
      edges: visible.edges,
      layout: arranged.layout,
      direction: graph.direction,
      color: cached(lightColor),
    });
    const name = `${title.replace(/[^\p{L}\p{N}]+/gu, '-')}.${format}`;
    const content = format === 'svg' ? new TextEncoder().encode(svg) : await svgToPng(svg, scaleOf(svg));
    if (await shell.saveFile(name, content)) toasts.say(i18n.text('graph.saved', { name }));
  });
}

/** Two pixels for each of the picture, or as many as fit. */
function scaleOf(svg: string): number {
  const [, width = '1', height = '1'] = / width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  return Math.min(2, LARGEST / Math.max(Number(width), Number(height)));
}

/** Asking the page for a colour is slow, and few are asked for. */
function cached(color: (css: string) => string): (css: string) => string {
  const known = new Map<string, string>();
  return (css) => {
    const value = known.get(css) ?? color(css);
    known.set(css, value);
    return value;
  };
}
