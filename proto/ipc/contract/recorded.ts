export interface SeriesInfo {
  /** Unique within its client. */
  readonly name: string;
  readonly client: string;
  readonly points: number;
  readonly last: number;
}

export interface SeriesQuery {
  readonly run: string;
  /** All when empty. */
  readonly series: readonly Pick<SeriesInfo, 'client' | 'name'>[];
  readonly fromStep: number;
  readonly toStep: number;
  readonly points: number;
}

/** Samples of one series, by step. NaN and infinities are values, not gaps. */
export interface SeriesColumns {
  readonly client: string;
  readonly name: string;
  readonly steps: Float64Array;
  readonly values: Float64Array;
  /** Unix epoch in milliseconds. */
  readonly times: Float64Array;
}

export interface TraceInfo {
  readonly id: string;
  readonly name: string;
  readonly client: string;
  /** Microseconds. */
  readonly duration: number;
  readonly devices: readonly string[];
  readonly entries: number;
}

/**
 * A timeline in columns: entry k of a device has element k of each. Times in microseconds from the start of the trace, by one clock:
 * those of a device whose `clock` was off are corrected.
 */
export interface TraceView extends TraceInfo {
  readonly lanes: readonly TraceDevice[];
}

/** How far a clock is ahead of the one that counts as right, in microseconds; negative when it is behind. */
export interface TraceClock {
  readonly offset: number;
  /** The offset is true to this much, up or down; null when it is a guess. */
  readonly error: number | null;
}

export interface TraceDevice {
  readonly device: string;
  /** Null where the times are as recorded. */
  readonly clock: TraceClock | null;
  readonly rows: number;
  readonly names: readonly string[];
  readonly ops: readonly string[];
  readonly row: Uint16Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly scheduled: Float64Array;
  readonly bytes: Float64Array;
  /** Of a transfer: the tensor that it brings, as `edge_12_w/read`. */
  readonly inputs: readonly (readonly string[])[];
  /** Device that a transfer came from; empty for ops. */
  readonly from: readonly string[];
}
