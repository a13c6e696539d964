/** What mouse, pen and touchpad ask of a timeline. Points in CSS pixels from its upper left corner. */
interface GestureTarget {
  /** `factor` below 1 magnifies around `x`. */
  zoom(x: number, factor: number): void;
  /** The content follows the hand by so many pixels. */
  drag(dx: number, dy: number): void;
  point(x: number, y: number): void;
  leave(): void;
  press(x: number, y: number): void;
  doublePress(x: number, y: number): void;
}

/** A hand is never quite still: a press may move so many pixels. */
const STILL = 3;
const ZOOM_PER_PIXEL = 0.003;
/** A wheel's notch must not jump too far, whatever the system calls one. */
const MOST_PER_EVENT = 200;
const LINE = 16;

/** Listens on an element until the returned function is called. Ctrl with the wheel, or a pinch, zooms; Shift with the wheel goes along the time. */
export function listenToGestures(element: HTMLElement, target: GestureTarget): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const spot = (event: MouseEvent): [x: number, y: number] => {
    const { left, top } = element.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  element.addEventListener('wheel', (event) => onWheel(event, target, spot(event)[0]), { signal, passive: false });
  element.addEventListener('pointerleave', () => target.leave(), { signal });
  element.addEventListener('dblclick', (event) => target.doublePress(...spot(event)), { signal });

  let held: { x: number; y: number; moved: boolean } | undefined;
  element.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return;
      held = { x: event.clientX, y: event.clientY, moved: false };
      element.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (!held) return target.point(...spot(event));
      const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
      if (!held.moved && Math.hypot(dx, dy) <= STILL) return;
      held = { x: event.clientX, y: event.clientY, moved: true };
      target.drag(dx, dy);
    },
    { signal },
  );
  element.addEventListener(
    'pointerup',
    (event) => {
      if (held && !held.moved) target.press(...spot(event));
      held = undefined;
    },
    { signal },
  );
  element.addEventListener(
    'pointercancel',
    () => {
      held = undefined;
    },
    { signal },
  );
  return () => stop.abort();
}

/** Without a modifier a wheel scrolls what is taller than its place, as everywhere. */
function onWheel(event: WheelEvent, target: GestureTarget, x: number): void {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
  const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    const amount = Math.max(-MOST_PER_EVENT, Math.min(MOST_PER_EVENT, dy));
    target.zoom(x, Math.exp(amount * ZOOM_PER_PIXEL));
  } else if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
    event.preventDefault();
    target.drag(-(dx || dy), 0);
  }
}
