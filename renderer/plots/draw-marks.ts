import type uPlot from 'uplot';
import type { MarkKind } from './marks.ts';
import type { SeriesMark } from './plot-model.ts';
import type { PlotTheme } from './theme.ts';

const labels: Readonly<Record<MarkKind, string>> = { NaN: 'NaN', '+Inf': '∞', '-Inf': '−∞', notPositive: '≤ 0', restart: '' };

/** Draws where a line has gaps and why: a tick at the edge of the plot, with the kind beside it; a dashed line at a new beginning. */
export function drawMarks(plot: uPlot, marks: readonly SeriesMark[], theme: PlotTheme): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = theme.font.replace(/^\d+px/, `${10 * devicePixelRatio}px`);
  for (const mark of marks) drawMark(plot, mark, theme.color(mark.series.color));
  ctx.restore();
}

function drawMark(plot: uPlot, { kind, from, to }: SeriesMark, color: string): void {
  const { ctx, bbox } = plot;
  const unit = devicePixelRatio;
  const left = plot.valToPos(from, 'x', true);
  const right = plot.valToPos(to, 'x', true);
  const height = 5 * unit;
  const top = kind === '+Inf' ? bbox.top : bbox.top + bbox.height - height;
  ctx.fillStyle = color;
  ctx.strokeStyle = color;
  if (kind === 'restart') {
    ctx.lineWidth = unit;
    ctx.setLineDash([3 * unit, 3 * unit]);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
    ctx.setLineDash([]);
    return;
  }
  ctx.fillRect(left - 1.5 * unit, top, right - left + 3 * unit, height);
  ctx.textAlign = 'center';
  ctx.textBaseline = kind === '+Inf' ? 'top' : 'bottom';
  ctx.fillText(labels[kind], (left + right) / 2, kind === '+Inf' ? top + height + unit : top - unit);
}
