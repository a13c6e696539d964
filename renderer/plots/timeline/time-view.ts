/** The part of the time axis that is shown, in microseconds. Immutable; all changes return a new view inside the bounds. */
export interface TimeView {
  readonly start: number;
  readonly span: number;
}

/** A shorter span than a nanosecond tells nothing: the clocks behind a trace are no finer. */
const SHORTEST = 0.001;
/** Room left and right of the whole, as a share of it, so that the first and the last slice do not touch the border. */
const MARGIN = 0.02;

/** Everything from 0 to `length`. */
export function fitView(length: number): TimeView {
  const whole = Math.max(length, 1);
  return { start: -whole * MARGIN, span: whole * (1 + 2 * MARGIN) };
}

export function panView(view: TimeView, by: number, length: number): TimeView {
  return clampView({ ...view, start: view.start + by }, length);
}

/** A `factor` below 1 magnifies; the moment `anchor` stays at its place. */
export function zoomView(view: TimeView, anchor: number, factor: number, length: number): TimeView {
  const span = Math.min(Math.max(view.span * factor, SHORTEST), fitView(length).span);
  return clampView({ start: anchor - ((anchor - view.start) * span) / view.span, span }, length);
}

/** Shows `from` to `to` in the middle half. */
export function focusView(from: number, to: number, length: number): TimeView {
  const span = Math.min(Math.max((to - from) * 2, SHORTEST * 10), fitView(length).span);
  return clampView({ start: (from + to) / 2 - span / 2, span }, length);
}

/** The same magnification, moved only as far as needed to show `from` to `to`; its start when it is longer than the view. */
export function revealView(view: TimeView, from: number, to: number, length: number): TimeView {
  const pad = view.span * 0.05;
  const end = view.start + view.span;
  if (from >= view.start && to <= end) return view;
  if (from < view.start || to - from > view.span) return panView(view, from - pad - view.start, length);
  return panView(view, to + pad - end, length);
}

function clampView({ start, span }: TimeView, length: number): TimeView {
  const whole = fitView(length);
  const latest = whole.start + whole.span - span;
  return { start: Math.min(Math.max(start, whole.start), Math.max(latest, whole.start)), span };
}

/** Between moments and pixels: a view on `width` pixels. */
export interface TimeScale extends TimeView {
  readonly width: number;
}

export function xOf({ start, span, width }: TimeScale, time: number): number {
  return ((time - start) / span) * width;
}

export function timeAt({ start, span, width }: TimeScale, x: number): number {
  return start + (x / width) * span;
}
