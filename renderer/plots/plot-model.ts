import { align, type Column } from './align.ts';
import { type Points, splitLives } from './lives.ts';
import { findMarks, type Mark } from './marks.ts';
import { smooth } from './smoothing.ts';

/** A series as a plot shows it. */
export interface PlotSeries {
  readonly id: string;
  readonly label: string;
  /** A CSS colour. */
  readonly color: string;
  /** Lengths of dashes and gaps; a solid line when empty. */
  readonly dash: readonly number[];
  readonly points: Points;
  /** When a task was restarted, as the times of the points. */
  readonly restarts?: readonly number[];
}

export interface PlotChoices {
  readonly log: boolean;
  /** 0 (none) to below 1. */
  readonly smoothing: number;
}

/** One line of the drawing. A series has one for each of its lives, and as many smoothed ones. */
export interface PlotLine {
  readonly series: PlotSeries;
  readonly kind: 'raw' | 'smooth';
}

export interface SeriesMark extends Mark {
  readonly series: PlotSeries;
}

export interface PlotModel {
  readonly lines: readonly PlotLine[];
  readonly steps: readonly number[];
  /** One for each line. */
  readonly columns: readonly Column[];
  readonly marks: readonly SeriesMark[];
}

/** All that a plot draws. The raw lines are always among it; smoothed ones lie over them. */
export function modelPlot(series: readonly PlotSeries[], { log, smoothing }: PlotChoices): PlotModel {
  const split = series.map((one) => ({ series: one, lives: splitLives(one.points, one.restarts) }));
  const raw = split.flatMap(({ series, lives }) => lives.map((points) => ({ series, points, kind: 'raw' as const })));
  const smoothed =
    smoothing === 0 ? [] : raw.map((line) => ({ ...line, points: smoothedPoints(line.points, smoothing), kind: 'smooth' as const }));
  const lines = [...raw, ...smoothed];
  const { steps, columns } = align(
    lines.map(({ points }) => points),
    log,
  );
  return {
    lines: lines.map(({ series, kind }) => ({ series, kind })),
    steps,
    columns,
    marks: split.flatMap(({ series, lives }) => findMarks(lives, log).map((mark) => ({ ...mark, series }))),
  };
}

function smoothedPoints({ steps, values }: Points, weight: number): Points {
  return { steps, values: smooth(values, weight) };
}
