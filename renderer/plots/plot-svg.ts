import { formatValue } from '../components/number.ts';
import { logTicks } from './log-ticks.ts';
import type { PlotLine, PlotModel } from './plot-model.ts';

export interface PlotPicture {
  readonly title: string;
  readonly model: PlotModel;
  readonly log: boolean;
  readonly width: number;
  readonly height: number;
  /** A CSS colour as it is on paper. */
  readonly color: (css: string) => string;
}

const EDGE = { left: 72, right: 16, top: 48, bottom: 30 };
const TICKS = { x: 8, y: 6 };

/** A plot as a picture that stands alone: title, axes, all lines with their gaps, and whose line is whose. */
export function plotSvg(picture: PlotPicture): string {
  const { title, model, width, height } = picture;
  const x = axis(extent([model.steps], false), [EDGE.left, width - EDGE.right], false, TICKS.x);
  const y = axis(extent(model.columns, picture.log), [height - EDGE.bottom, EDGE.top], picture.log, TICKS.y);
  const grid = [
    ...x.ticks.map((tick) => line(x.at(tick), EDGE.top, x.at(tick), height - EDGE.bottom)),
    ...y.ticks.map((tick) => line(EDGE.left, y.at(tick), width - EDGE.right, y.at(tick))),
  ];
  const labels = [
    ...x.ticks.map((tick) => text(x.at(tick), height - 10, formatValue(tick), 'middle')),
    ...y.ticks.map((tick) => text(EDGE.left - 8, y.at(tick) + 4, formatValue(tick), 'end')),
  ];
  const curves = model.lines.map((one, at) => curve(one, pathOf(model.steps, model.columns[at] ?? [], x.at, y.at), picture));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="11" fill="#333">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${EDGE.left}" y="18" font-size="13" font-weight="600">${escapeXml(title)}</text>`,
    ...legend(picture),
    ...grid,
    ...labels,
    ...curves,
    '</svg>',
  ].join('\n');
}

interface Axis {
  readonly ticks: readonly number[];
  at(value: number): number;
}

function axis([low, high]: readonly [number, number], [from, to]: readonly [number, number], log: boolean, most: number): Axis {
  const scale = log ? Math.log10 : (value: number) => value;
  const at = (value: number) => round(from + ((scale(value) - scale(low)) / (scale(high) - scale(low))) * (to - from));
  return { ticks: log ? logTicks(low, high, most) : linearTicks(low, high, most), at };
}

function linearTicks(low: number, high: number, most: number): number[] {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((part) => part * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** From the least to the greatest, and never of no length. */
function extent(columns: PlotModel['columns'], log: boolean): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const column of columns) {
    for (const value of column) {
      if (typeof value !== 'number') continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (!(low <= high)) return log ? [1, 10] : [0, 1];
  if (low < high) return [low, high];
  return log ? [low / 10, high * 10] : [low - 1, high + 1];
}

/** Null lifts the pen; undefined is a step of other lines. */
function pathOf(steps: readonly number[], column: PlotModel['columns'][number], x: Axis['at'], y: Axis['at']): string {
  let path = '';
  let penDown = false;
  column.forEach((value, at) => {
    if (typeof value === 'number') path += `${penDown ? 'L' : 'M'}${x(steps[at] ?? 0)} ${y(value)}`;
    if (value !== undefined) penDown = value !== null;
  });
  return path;
}

function curve({ series, kind }: PlotLine, path: string, { model, color }: PlotPicture): string {
  const faint = kind === 'raw' && model.lines.some((other) => other.kind === 'smooth');
  const look = `stroke="${color(series.color)}" stroke-width="${kind === 'smooth' ? 2 : 1.5}" stroke-dasharray="${series.dash.join(' ')}"`;
  return `<path d="${path}" fill="none" stroke-linejoin="round" ${look}${faint ? ' opacity="0.45"' : ''}/>`;
}

function legend({ model, color }: PlotPicture): string[] {
  const series = new Map(model.lines.map((one) => [one.series.id, one.series]));
  let left = EDGE.left;
  return [...series.values()].map((one) => {
    const at = left;
    left += 40 + one.label.length * 6.5;
    return `<path d="M${at} 33h18" stroke="${color(one.color)}" stroke-width="2.5" stroke-dasharray="${one.dash.join(' ')}"/>${text(at + 24, 37, one.label, 'start')}`;
  });
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<path d="M${x1} ${y1}L${x2} ${y2}" stroke="#ddd"/>`;
}

function text(x: number, y: number, content: string, anchor: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(content)}</text>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function escapeXml(content: string): string {
  return content.replace(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
