import type { CanvasPoint } from './types.ts';

/** What of a canvas is seen: a point p of it is at p · zoom + (x, y) on the screen. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type Box = CanvasPoint & Size;

export const MIN_ZOOM = 0.02;
export const MAX_ZOOM = 2;
/** Pixels of the screen that stay free around what is shown. */
const MARGIN = 24;

const clampZoom = (zoom: number) => Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, zoom));

/** The least box around all of them; undefined around nothing. */
export function boundsOf(boxes: Iterable<Box>): Box | undefined {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return left <= right ? { x: left, y: top, width: right - left, height: bottom - top } : undefined;
}

/** Shows the whole box in the middle of the screen, but never larger than `largest`. */
export function fitBox(box: Box, screen: Size, largest = 1): View {
  const zoom = clampZoom(Math.min(largest, (screen.width - 2 * MARGIN) / box.width, (screen.height - 2 * MARGIN) / box.height));
  return {
    x: screen.width / 2 - (box.x + box.width / 2) * zoom,
    y: screen.height / 2 - (box.y + box.height / 2) * zoom,
    zoom,
  };
}

/** Below it, text is hard to read. */
const READABLE = 0.7;

/** Shows the whole box if it can be read then, else the part of it that begins with `first`. */
export function readableBox(box: Box, first: Box, screen: Size): View {
  const whole = fitBox(box, screen);
  if (whole.zoom >= READABLE) return whole;
  const place = (length: number, from: number, wanted: number, room: number) => {
    if (length * READABLE <= room - 2 * MARGIN) return room / 2 - (from + length / 2) * READABLE;
    const [least, most] = [room - MARGIN - (from + length) * READABLE, MARGIN - from * READABLE];
    return Math.max(least, Math.min(most, wanted));
  };
  return {
    x: place(box.width, box.x, MARGIN - first.x * READABLE, screen.width),
    y: place(box.height, box.y, screen.height / 2 - (first.y + first.height / 2) * READABLE, screen.height),
    zoom: READABLE,
  };
}

/** Zooms by a factor; the point of the screen keeps what it shows. */
export function zoomAt(view: View, factor: number, at: CanvasPoint): View {
  const zoom = clampZoom(view.zoom * factor);
  const scale = zoom / view.zoom;
  return { x: at.x - (at.x - view.x) * scale, y: at.y - (at.y - view.y) * scale, zoom };
}

/** Moves no farther than it takes to see the box; one that is larger than the screen is seen from its beginning. */
export function reveal(view: View, box: Box, screen: Size): View {
  const shift = (start: number, length: number, room: number) => {
    const end = start + length;
    if (length > room - 2 * MARGIN || start < MARGIN) return MARGIN - start;
    return end > room - MARGIN ? room - MARGIN - end : 0;
  };
  const isWithin = (start: number, length: number, room: number) => start >= 0 && start + length <= room;
  const [left, top] = [box.x * view.zoom + view.x, box.y * view.zoom + view.y];
  const [width, height] = [box.width * view.zoom, box.height * view.zoom];
  return {
    x: view.x + (isWithin(left, width, screen.width) ? 0 : shift(left, width, screen.width)),
    y: view.y + (isWithin(top, height, screen.height) ? 0 : shift(top, height, screen.height)),
    zoom: view.zoom,
  };
}

/** The point of the canvas at a point of the screen. */
export function toCanvas(view: View, { x, y }: CanvasPoint): CanvasPoint {
  return { x: (x - view.x) / view.zoom, y: (y - view.y) / view.zoom };
}

/** A view in which what was at `before` is where `after` is now: the layout changes, the eye stays. */
export function keepInPlace(view: View, before: CanvasPoint, after: CanvasPoint): View {
  return { x: view.x + (before.x - after.x) * view.zoom, y: view.y + (before.y - after.y) * view.zoom, zoom: view.zoom };
}
