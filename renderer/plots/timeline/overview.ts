import { busyTime, type RowIndex } from './row-index.ts';
import type { TimeScale } from './time-view.ts';

/** How busy a lane is in each of `scale.width` equal parts of the time: 0 is idle, 1 all its rows at work throughout. */
export function busyShares(rows: readonly RowIndex[], { start, span, width }: TimeScale): Float32Array {
  const part = span / width;
  const shares = new Float32Array(width);
  for (const row of rows) {
    for (let i = 0; i < width; i++) {
      shares[i] = (shares[i] ?? 0) + busyTime(row, start + i * part, start + (i + 1) * part) / part / rows.length;
    }
  }
  return shares;
}

/** What is busy at all is seen, however short it is. */
const FAINTEST = 0.25;
const PART = 2;

interface OverviewScene {
  readonly rows: readonly (readonly RowIndex[])[];
  readonly colours: readonly string[];
  readonly scale: TimeScale;
  readonly height: number;
}

/** The whole trace small: a band for each lane, the darker the busier. */
export function drawOverview(context: CanvasRenderingContext2D, { rows, colours, scale, height }: OverviewScene): void {
  context.clearRect(0, 0, scale.width, height);
  const band = height / Math.max(rows.length, 1);
  for (const [lane, indexes] of rows.entries()) {
    context.fillStyle = colours[lane] ?? 'gray';
    for (const [i, share] of busyShares(indexes, { ...scale, width: Math.floor(scale.width / PART) }).entries()) {
      if (share === 0) continue;
      context.globalAlpha = FAINTEST + (1 - FAINTEST) * Math.min(share, 1);
      context.fillRect(i * PART, lane * band, PART, Math.max(1, band - 1));
    }
  }
  context.globalAlpha = 1;
}
