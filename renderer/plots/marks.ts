import type { Points } from './lives.ts';

/** What a line cannot show: values that are no numbers, values that a logarithmic axis has no place for, a new beginning. */
export type MarkKind = 'NaN' | '+Inf' | '-Inf' | 'notPositive' | 'restart';

/** Of one kind, over samples one after the other. */
export interface Mark {
  readonly kind: MarkKind;
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

function kindOf(value: number, log: boolean): MarkKind | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  return log && value <= 0 ? 'notPositive' : undefined;
}

/** The marks of a series, in the order of its samples. */
export function findMarks(lives: readonly Points[], log: boolean): readonly Mark[] {
  return lives.flatMap((life, at) => {
    const marks = marksOf(life, log);
    const begin = life.steps[0] ?? 0;
    return at === 0 ? marks : [{ kind: 'restart' as const, from: begin, to: begin, count: 1 }, ...marks];
  });
}

function marksOf({ steps, values }: Points, log: boolean): Mark[] {
  const marks: Mark[] = [];
  let open: Mark | undefined;
  values.forEach((value, at) => {
    const kind = kindOf(value, log);
    const step = steps[at] ?? 0;
    if (open && open.kind === kind) open = { ...open, to: step, count: open.count + 1 };
    else {
      if (open) marks.push(open);
      open = kind && { kind, from: step, to: step, count: 1 };
    }
  });
  if (open) marks.push(open);
  return marks;
}
