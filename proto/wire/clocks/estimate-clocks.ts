import { type DifferenceBound, type Range, raised, rangesFrom, slackOf, tightest } from './difference-bounds.ts';

/** How far a clock is ahead of another; negative when it is behind. Microseconds. */
export interface ClockOffset {
  /** Whole microseconds. */
  readonly offset: number;
  /** The offset is true to this much, up or down; undefined when it is a guess. */
  readonly error: number | undefined;
}

export interface ClockEvidence {
  /** Task whose clock counts as right. */
  readonly reference: string;
  /** On differences of offsets, in microseconds. */
  readonly bounds: readonly DifferenceBound[];
  /** Tasks to be known → when the step began there, by their own clocks, in microseconds since one moment. */
  readonly starts: ReadonlyMap<string, number>;
}

/** A step begins on all its tasks within this time, in microseconds, unless their clocks differ. */
const SAME_START = 100_000;

/**
 * The clocks of tasks from what came before what. Where messages went both ways, an offset is the middle of what is possible; a
 * clock that may be right is taken to be right. Where they did not, it is guessed from the start of the step. Evidence that
 * contradicts itself, as after a jump of a clock, is kept as far as it can be, and the error tells by how much it is not.
 */
export function estimateClocks({ reference, bounds: given, starts }: ClockEvidence): ReadonlyMap<string, ClockOffset> {
  const known = tightest(given);
  const slack = slackOf(known);
  const bounds = raised(known, slack);
  const possible = rangesFrom(reference, bounds);
  const tasks = [...starts.keys()];
  const [bounded, guessed] = [tasks.filter((task) => isBounded(possible(task))), tasks.filter((task) => !isBounded(possible(task)))];
  const fixed = new FixedOffsets(reference, bounds);
  for (const task of bounded) if (contains(fixed.range(task), 0)) fixed.fix(task, 0);
  for (const [task, middle] of bounded.map((each) => [each, middleOf(fixed.range(each))] as const)) fixed.fix(task, middle);
  for (const task of guessed) fixed.fix(task, closest(fixed.range(task), guess(starts, reference, task)));
  return new Map(
    tasks.map((task) => {
      const offset = Math.round(fixed.range(task).most);
      const { least, most } = possible(task);
      const error = isBounded({ least, most }) ? Math.max(offset - least, most - offset, 0) + slack : undefined;
      // Rounding must not leave a zero with a sign.
      return [task, { offset: offset === 0 ? 0 : offset, error }];
    }),
  );
}

/** Bounds, and the offsets that were decided on so far: these narrow what the others can be. */
class FixedOffsets {
  readonly #reference: string;
  readonly #bounds: DifferenceBound[];
  #ranges: (task: string) => Range;

  constructor(reference: string, bounds: readonly DifferenceBound[]) {
    this.#reference = reference;
    this.#bounds = [...bounds];
    this.#ranges = rangesFrom(reference, bounds);
  }

  range(task: string): Range {
    return this.#ranges(task);
  }

  fix(task: string, offset: number): void {
    this.#bounds.push({ from: this.#reference, to: task, most: offset }, { from: task, to: this.#reference, most: -offset });
    this.#ranges = rangesFrom(this.#reference, this.#bounds);
  }
}

/** Without messages both ways: a step that began here when it began there means that the clocks agree. */
function guess(starts: ReadonlyMap<string, number>, reference: string, task: string): number {
  const difference = (starts.get(task) ?? Number.NaN) - (starts.get(reference) ?? Number.NaN);
  return Number.isFinite(difference) && Math.abs(difference) >= SAME_START ? difference : 0;
}

const isBounded = ({ least, most }: Range): boolean => Number.isFinite(least) && Number.isFinite(most);
const contains = ({ least, most }: Range, value: number): boolean => least <= value && value <= most;
const middleOf = ({ least, most }: Range): number => (least + most) / 2;
const closest = ({ least, most }: Range, value: number): number => Math.max(least, Math.min(value, most));
