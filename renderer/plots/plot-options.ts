import uPlot from 'uplot';
import { formatValue } from '../components/number.ts';
import { logTicks } from './log-ticks.ts';
import type { PlotLine } from './plot-model.ts';
import type { Range } from './range.ts';
import type { PlotTheme } from './theme.ts';

/** Least pixels between two lines of an axis. */
const SPACE = { x: 64, y: 24 };
/** Lines of an axis of values, however tall. */
const MOST_LINES = 8;
const Y_LABELS = 64;

interface PlotLook {
  readonly lines: readonly PlotLine[];
  readonly log: boolean;
  readonly theme: PlotTheme;
  readonly size: { readonly width: number; readonly height: number };
  /** Steps to show; undefined: all. */
  readonly range: () => Range | undefined;
  readonly hooks: uPlot.Hooks.Arrays;
}

/** What to tell the plot library. */
export function plotOptions({ lines, log, theme, size, range, hooks }: PlotLook): uPlot.Options {
  const grid = { stroke: theme.color('var(--line)'), width: 1 };
  const axis = { stroke: theme.color('var(--muted)'), font: theme.font, grid, ticks: { show: false } };
  return {
    ...size,
    padding: [10, 12, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { size: 7 },
      drag: { x: true, y: false, setScale: false },
      bind: {
        // A double press shows all again, by our own hand.
        dblclick: () => null,
        mousedown: (_plot, _target, choose) => (event) => {
          if (!isPan(event)) choose(event);
          return null;
        },
      },
    },
    scales: {
      x: { time: false, range: (_plot, low, high) => [...(range() ?? wideEnough(low, high))] },
      y: log ? { distr: 3, range: (_plot, low, high) => logRange(low, high) } : { range: (_plot, low, high) => linearRange(low, high) },
    },
    axes: [
      { ...axis, space: SPACE.x, size: 28, gap: 6, incrs: wholeSteps, values: (_plot, ticks) => ticks.map(formatValue) },
      {
        ...axis,
        space: (_plot, _axis, _low, _high, size) => size / linesWithin(size),
        size: Y_LABELS,
        gap: 8,
        values: (_plot, ticks) => ticks.map((tick) => (tick === null ? '' : formatValue(roundTick(tick)))),
        ...(log ? { splits: (plot, _axis, low, high) => logTicks(low, high, linesWithin(plot.bbox.height / devicePixelRatio)) } : {}),
      },
    ],
    series: [{}, ...lines.map((line) => seriesOptions(line, lines, theme))],
    hooks,
  };
}

/** Does a press begin to move the steps in sight? */
export function isPan({ button, shiftKey }: Pick<MouseEvent, 'button' | 'shiftKey'>): boolean {
  return button === 1 || (button === 0 && shiftKey);
}

/** How many lines an axis of values has room for. */
function linesWithin(height: number): number {
  return Math.max(2, Math.min(MOST_LINES, Math.floor(height / SPACE.y)));
}

function seriesOptions({ series, kind }: PlotLine, lines: readonly PlotLine[], theme: PlotTheme): uPlot.Series {
  const smoothed = lines.some((line) => line.kind === 'smooth');
  const faint = kind === 'raw' && smoothed;
  return {
    label: series.label,
    stroke: theme.color(series.color),
    width: kind === 'smooth' ? 2 : 1.5,
    alpha: faint ? 0.45 : 1,
    dash: [...series.dash],
    spanGaps: false,
    ...(kind === 'smooth' ? { points: { show: false } } : { points: { size: 5, fill: theme.color(series.color) } }),
  };
}

const wholeSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((part) => part * 10 ** power)).flat();

/** A single step has a place in the middle. */
function wideEnough(low: number | null, high: number | null): Range {
  if (low === null || high === null) return [0, 10];
  return low === high ? [low - 1, high + 1] : [low, high];
}

/** A single value has a place in the middle. */
function linearRange(low: number | null, high: number | null): uPlot.Range.MinMax {
  if (low === null || high === null) return [0, 1];
  const margin = Math.abs(low) * 0.1 || 1;
  return low === high ? [low - margin, high + margin] : uPlot.rangeNum(low, high, 0.1, true);
}

function logRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !(low > 0)) return [0.1, 10];
  const margin = Math.max(1.1, (high / low) ** 0.05);
  return [low / margin, high * margin];
}

/** 0.30000000000000004 is 0.3 on an axis. */
function roundTick(tick: number): number {
  return Number(tick.toPrecision(12));
}
