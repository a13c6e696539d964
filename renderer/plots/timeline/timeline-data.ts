/**
 * What a timeline draws: one lane per device, in the order given, its slices in columns. Slice k of a lane has element k of each
 * column. Times in microseconds from the start of the trace. Slices of one row never overlap.
 */
export interface TimelineLane {
  /** Full device name. */
  readonly device: string;
  readonly rows: number;
  /** Names of the nodes; what they are for a transfer depends on who recorded it. */
  readonly names: readonly string[];
  readonly ops: readonly string[];
  readonly row: Uint16Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly bytes: Float64Array;
  /** For a transfer the tensor that it brings. */
  readonly inputs: readonly (readonly string[])[];
  /** Device that a transfer came from; empty for ops. */
  readonly from: readonly string[];
}

/** One slice: number of its lane and its number in the lane's columns. */
export interface SliceRef {
  readonly lane: number;
  readonly slice: number;
}

/** Whole length of what is drawn, in microseconds: the recorded duration, or the last end where that is later. */
export function lengthOf(lanes: readonly TimelineLane[], duration: number): number {
  return lanes.reduce((most, { end }) => end.reduce((a, b) => Math.max(a, b), most), duration);
}

export function sameSlice(a: SliceRef | undefined, b: SliceRef | undefined): boolean {
  return a !== undefined && b !== undefined && a.lane === b.lane && a.slice === b.slice;
}
