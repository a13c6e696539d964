import { deviceLabel } from '../../components/device.ts';
import { curvedPath, routedPath } from '../../components/graph-canvas/edge-path.ts';
import type { Layout } from '../../components/graph-canvas/layout.ts';
import type { CanvasDirection, CanvasPoint } from '../../components/graph-canvas/types.ts';
import { type Box, boundsOf } from '../../components/graph-canvas/viewport.ts';
import { edgeKind, edgeKinds, edgeLooks } from './edge-looks.ts';
import { isSmall, type NodeLook } from './node-look.ts';
import type { VisibleEdge } from './visible-graph.ts';

export interface GraphPicture {
  readonly title: string;
  /** Open scopes before what they hold. */
  readonly looks: readonly NodeLook[];
  readonly edges: readonly VisibleEdge[];
  readonly layout: Layout;
  readonly direction: CanvasDirection;
  /** A CSS colour as it is on paper. */
  readonly color: (css: string) => string;
}

const MARGIN = 20;
const TITLE = 28;
/** Of a monospaced letter of 11 pixels. */
const LETTER = 6.7;

/** The graph as it is open now, as a picture that stands alone. */
export function graphSvg(picture: GraphPicture): string {
  const { looks, edges, layout, title } = picture;
  const bounds = boundsOf(layout.boxes.values()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [width, height] = [Math.ceil(bounds.width + 2 * MARGIN), Math.ceil(bounds.height + 2 * MARGIN + TITLE)];
  const isFrame = ({ item }: NodeLook) => item.kind === 'scope' && item.isOpen;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11" fill="#333">`,
    `<defs>${edgeKinds.map((kind) => arrow(kind, picture)).join('')}</defs>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${MARGIN}" y="20" font-size="13" font-weight="600">${escapeXml(title)}</text>`,
    `<g transform="translate(${round(MARGIN - bounds.x)} ${round(MARGIN + TITLE - bounds.y)})">`,
    ...looks.filter(isFrame).map((look) => frame(look, picture)),
    ...edges.map((edge) => line(edge, picture)),
    ...looks.filter((look) => !isFrame(look)).map((look) => card(look, picture)),
    '</g>',
    '</svg>',
  ].join('\n');
}

function arrow(kind: (typeof edgeKinds)[number], { color }: GraphPicture): string {
  return `<marker id="${kind}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5 8 4 0 7.5z" fill="${color(edgeLooks[kind].color)}"/></marker>`;
}

function line(edge: VisibleEdge, { layout, direction, color }: GraphPicture): string {
  const kind = edgeKind(edge);
  const look = edgeLooks[kind];
  const points = layout.routes.get(edge.id);
  const { d } =
    points && points.length > 1
      ? routedPath(points)
      : curvedPath(end(layout.boxes.get(edge.from), direction), start(layout.boxes.get(edge.to), direction), direction);
  const dash = look.dashed ? ' stroke-dasharray="5 4"' : '';
  return `<path d="${d}" fill="none" stroke="${color(look.color)}" stroke-width="${look.width ?? 1}"${dash} marker-end="url(#${kind})"/>`;
}

function frame({ item }: NodeLook, { layout }: GraphPicture): string {
  const box = layout.boxes.get(item.id);
  if (!box || item.kind !== 'scope') return '';
  return `${rect(box, 8, '#c0c8d2', '#f5f6f8', 0.6)}${text(box.x + 12, box.y + 20, `${item.scope.title}/  ${item.scope.size}`, 600, box.width - 20)}`;
}

function card(look: NodeLook, { layout, color }: GraphPicture): string {
  const { item, note, device } = look;
  const box = layout.boxes.get(item.id);
  if (!box) return '';
  const title = item.kind === 'node' ? item.node.title : `${item.scope.title}/  ${item.scope.size}`;
  const under = isSmall(item) ? [] : [note, device && deviceLabel(device)].filter(Boolean);
  const top = box.y + (isSmall(item) ? 17 : 20);
  const room = box.width - 16;
  return [
    rect(box, 6, '#c0c8d2', '#fff', 1),
    `<rect x="${round(box.x)}" y="${round(box.y)}" width="5" height="${round(box.height)}" rx="2" fill="${color(look.color)}"/>`,
    text(box.x + 11, top, title, isSmall(item) ? 400 : 600, room),
    ...under.map((each, at) => text(box.x + 11, top + 16 * (at + 1), each, 400, room)),
  ].join('');
}

function rect({ x, y, width, height }: Box, round_: number, stroke: string, fill: string, opacity: number): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${round_}" fill="${fill}" fill-opacity="${opacity}" stroke="${stroke}"/>`;
}

function text(x: number, y: number, content: string, weight: number, room: number): string {
  const most = Math.max(3, Math.floor(room / LETTER));
  const cut = content.length > most ? `${content.slice(0, most - 1)}…` : content;
  return `<text x="${round(x)}" y="${round(y)}" font-family="monospace" font-weight="${weight}">${escapeXml(cut)}</text>`;
}

function end(box: Box | undefined, direction: CanvasDirection): CanvasPoint {
  const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
  return direction === 'right' ? { x: x + width, y: y + height / 2 } : { x: x + width / 2, y: y + height };
}

function start(box: Box | undefined, direction: CanvasDirection): CanvasPoint {
  const { x, y, width, height } = box ?? { x: 0, y: 0, width: 0, height: 0 };
  return direction === 'right' ? { x, y: y + height / 2 } : { x: x + width / 2, y };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(content: string): string {
  return content.replace(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
