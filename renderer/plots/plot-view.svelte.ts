import type { Range } from './range.ts';

/** What all plots of a page have in common: the step under the cursor, and the steps in sight. */
export class PlotView {
  step = $state.raw<number | undefined>(undefined);
  /** Undefined: all steps. */
  range = $state.raw<Range | undefined>(undefined);
}
