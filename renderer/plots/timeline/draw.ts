import { blocksOf } from './detail.ts';
import { type LanePlace, rowTop, SLICE_HEIGHT } from './lane-layout.ts';
import { at, type RowIndex } from './row-index.ts';
import { formatBytes, formatRate, type Tick } from './ticks.ts';
import { type TimeScale, xOf } from './time-view.ts';
import { type SliceRef, sameSlice, type TimelineLane } from './timeline-data.ts';
import { type Arrow, titleOf, visibleArrows } from './transfers.ts';

/** Colours as CSS texts. */
export interface TimelineColours {
  readonly background: string;
  readonly stripe: string;
  readonly line: string;
  readonly text: string;
  readonly muted: string;
  readonly onSlice: string;
  readonly accent: string;
  /** Face for names and numbers, as in a CSS font. */
  readonly face: string;
}

/** All that one frame shows. `scrollTop` and `height` say which part of the lanes, in pixels. */
interface TimelineScene {
  readonly lanes: readonly TimelineLane[];
  readonly rows: readonly (readonly RowIndex[])[];
  readonly places: readonly LanePlace[];
  readonly arrows: readonly Arrow[];
  readonly ticks: readonly Tick[];
  readonly scale: TimeScale;
  readonly scrollTop: number;
  readonly height: number;
  readonly colourOf: (slice: SliceRef) => string;
  readonly colours: TimelineColours;
  readonly selected: SliceRef | undefined;
  readonly hovered: SliceRef | undefined;
  /** What a search found, by lane; undefined without a search. All else is dimmed. */
  readonly found: readonly ReadonlySet<number>[] | undefined;
}

const DIMMED = 0.22;
const HOLLOW = 0.16;
const FAINT = 0.14;
/** So many may be drawn strongly. */
const FEW_ARROWS = 40;
/** Above so many arrows no text would be readable. */
const MOST_LABELS = 24;

/** Draws one frame. The context is scaled so that its unit is a CSS pixel. */
export function drawTimeline(context: CanvasRenderingContext2D, scene: TimelineScene): void {
  const { scale, height, colours } = scene;
  context.fillStyle = colours.background;
  context.fillRect(0, 0, scale.width, height);
  context.font = `11px ${colours.face}`;
  context.textBaseline = 'middle';
  const shown = scene.places.flatMap((place, lane) => (isShown(place, scene) ? [lane] : []));
  for (const lane of shown) drawStripe(context, scene, lane);
  drawGrid(context, scene);
  context.save();
  context.translate(0, -scene.scrollTop);
  const letter = context.measureText('0').width;
  context.globalAlpha = scene.found ? DIMMED : 1;
  for (const lane of shown) drawLane(context, scene, lane, letter);
  context.globalAlpha = 1;
  if (scene.found) for (const lane of shown) drawFound(context, scene, lane);
  drawArrows(context, scene);
  drawOutline(context, scene, scene.hovered, 1);
  drawOutline(context, scene, scene.selected, 2);
  context.restore();
}

function isShown({ top, height }: LanePlace, scene: TimelineScene): boolean {
  return top + height > scene.scrollTop && top < scene.scrollTop + scene.height;
}

function drawStripe(context: CanvasRenderingContext2D, { places, scale, scrollTop, colours }: TimelineScene, lane: number): void {
  const place = places[lane];
  if (!place) return;
  if (lane % 2 === 0) {
    context.fillStyle = colours.stripe;
    context.fillRect(0, place.top - scrollTop, scale.width, place.height);
  }
  context.fillStyle = colours.line;
  context.fillRect(0, place.top + place.height - scrollTop - 1, scale.width, 1);
}

function drawGrid(context: CanvasRenderingContext2D, { ticks, scale, height, colours }: TimelineScene): void {
  context.fillStyle = colours.line;
  for (const { time } of ticks) context.fillRect(Math.round(xOf(scale, time)), 0, 1, height);
}

function drawLane(context: CanvasRenderingContext2D, scene: TimelineScene, lane: number, letter: number): void {
  const place = scene.places[lane];
  const columns = scene.lanes[lane];
  if (!place || !columns) return;
  for (const [number, row] of (scene.rows[lane] ?? []).entries()) {
    const y = rowTop(place, number);
    for (const { x, width, slice, count } of blocksOf(row, scene.scale)) {
      const [left, right] = [Math.max(x, -2), Math.min(x + width, scene.scale.width + 2)];
      const isTransfer = count === 1 && columns.from[slice] !== '';
      context.fillStyle = scene.colourOf({ lane, slice });
      fillSlice(context, { x: left, y, width: Math.max(1, right - left - (width > 3 ? 0.5 : 0)) }, isTransfer);
      if (count > 1 || place.folded) continue;
      const room = Math.floor((right - Math.max(left, 0) - 8) / letter);
      if (room < 3) continue;
      context.fillStyle = isTransfer ? scene.colours.text : scene.colours.onSlice;
      context.fillText(shortened(titleOf(columns, slice), room), Math.max(left, 0) + 4, y + SLICE_HEIGHT / 2 + 0.5);
    }
  }
}

/** What waits for a tensor is drawn hollow: nothing is computed there. */
function fillSlice(context: CanvasRenderingContext2D, { x, y, width }: Box, isTransfer: boolean): void {
  if (!isTransfer || width < 4) {
    context.fillRect(x, y, width, SLICE_HEIGHT);
    return;
  }
  const alpha = context.globalAlpha;
  context.globalAlpha = alpha * HOLLOW;
  context.fillRect(x, y, width, SLICE_HEIGHT);
  context.globalAlpha = alpha;
  context.strokeStyle = context.fillStyle;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, width - 1, SLICE_HEIGHT - 1);
}

/** A node's own name tells more than its scopes. */
function shortened(title: string, room: number): string {
  if (title.length <= room) return title;
  const name = title.slice(title.lastIndexOf('/') + 1);
  return name.length <= room ? name : `${name.slice(0, room - 1)}…`;
}

function drawFound(context: CanvasRenderingContext2D, scene: TimelineScene, lane: number): void {
  const columns = scene.lanes[lane];
  const { start, span } = scene.scale;
  for (const slice of scene.found?.[lane] ?? []) {
    if (!columns || at(columns.end, slice) < start || at(columns.start, slice) > start + span) continue;
    const box = boxOf(scene, { lane, slice });
    if (!box) continue;
    context.fillStyle = scene.colourOf({ lane, slice });
    fillSlice(context, { ...box, width: Math.max(2, box.width) }, columns.from[slice] !== '');
  }
}

function drawArrows(context: CanvasRenderingContext2D, scene: TimelineScene): void {
  const { start, span, width } = scene.scale;
  const touching = ({ producer, receiver }: Arrow): boolean => sameSlice(producer, scene.selected) || sameSlice(receiver, scene.selected);
  const all = visibleArrows(scene.arrows, start, start + span, span / width);
  const chosen = scene.selected ? scene.arrows.filter(touching) : [];
  const many = all.length > MOST_LABELS;
  context.lineWidth = many ? 0.8 : 1.2;
  context.strokeStyle = scene.colours.muted;
  context.fillStyle = scene.colours.muted;
  // The more there are, the less each may hide of the slices.
  context.globalAlpha = scene.found || chosen.length > 0 ? FAINT : Math.max(FAINT, Math.min(0.75, FEW_ARROWS / all.length));
  for (const arrow of all) drawArrow(context, scene, arrow, chosen.length === 0 && !many);
  context.globalAlpha = 1;
  context.lineWidth = 2;
  context.strokeStyle = scene.colours.accent;
  context.fillStyle = scene.colours.text;
  for (const arrow of chosen) drawArrow(context, scene, arrow, chosen.length <= MOST_LABELS);
}

function drawArrow(context: CanvasRenderingContext2D, scene: TimelineScene, arrow: Arrow, labelled: boolean): void {
  const [x1, x2] = [xOf(scene.scale, arrow.leave), xOf(scene.scale, arrow.arrive)];
  const sender = scene.places[arrow.fromLane];
  const receiver = boxOf(scene, arrow.receiver);
  if (!sender || !receiver) return;
  const down = sender.top < receiver.y;
  const from = arrow.producer ? (boxOf(scene, arrow.producer)?.y ?? sender.top) : sender.top + sender.height / 2 - SLICE_HEIGHT / 2;
  const [y1, y2] = down ? [from + SLICE_HEIGHT, receiver.y] : [from, receiver.y + SLICE_HEIGHT];
  const bend = (y2 - y1) / 2;
  context.beginPath();
  context.moveTo(x1, y1);
  context.bezierCurveTo(x1, y1 + bend, x2, y2 - bend, x2, y2);
  context.stroke();
  const head = down ? -6 : 6;
  context.beginPath();
  context.moveTo(x2, y2);
  context.lineTo(x2 - 3.5, y2 + head);
  context.lineTo(x2 + 3.5, y2 + head);
  context.fill();
  if (labelled) drawLabel(context, scene, arrow, { x: (x1 + x2) / 2, y: (y1 + y2) / 2 });
}

function drawLabel(context: CanvasRenderingContext2D, { lanes, colours }: TimelineScene, { bytes, receiver }: Arrow, middle: Point): void {
  const lane = lanes[receiver.lane];
  if (!lane) return;
  const rate = formatRate(bytes, at(lane.end, receiver.slice) - at(lane.start, receiver.slice));
  const text = rate === '' ? formatBytes(bytes) : `${formatBytes(bytes)} · ${rate}`;
  const width = context.measureText(text).width + 8;
  const arrowColour = context.fillStyle;
  context.fillStyle = colours.background;
  context.fillRect(middle.x - width / 2, middle.y - 8, width, 16);
  context.fillStyle = arrowColour;
  context.fillText(text, middle.x - width / 2 + 4, middle.y + 0.5);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Box extends Point {
  readonly width: number;
}

function boxOf({ lanes, places, scale }: TimelineScene, { lane, slice }: SliceRef): Box | undefined {
  const columns = lanes[lane];
  const place = places[lane];
  if (!columns || !place) return undefined;
  const x = xOf(scale, at(columns.start, slice));
  return { x, y: rowTop(place, columns.row[slice] ?? 0), width: xOf(scale, at(columns.end, slice)) - x };
}

function drawOutline(context: CanvasRenderingContext2D, scene: TimelineScene, slice: SliceRef | undefined, width: number): void {
  const box = slice && boxOf(scene, slice);
  if (!box) return;
  context.strokeStyle = scene.colours.text;
  context.lineWidth = width;
  context.strokeRect(box.x - width / 2, box.y - width / 2, Math.max(3, box.width) + width, SLICE_HEIGHT + width);
}
