import type { TimelineLane } from '../../../../renderer/plots/timeline/timeline-data.ts';

export interface SliceSpec {
  readonly name?: string;
  readonly op?: string;
  readonly row?: number;
  readonly start: number;
  readonly end: number;
  readonly bytes?: number;
  readonly from?: string;
  readonly inputs?: readonly string[];
}

/** A lane in columns, from slices as one writes them down. */
export function laneOf(device: string, slices: readonly SliceSpec[]): TimelineLane {
  return {
    device,
    rows: slices.reduce((most, { row = 0 }) => Math.max(most, row + 1), 0),
    names: slices.map(({ name }, k) => name ?? `node${k}`),
    ops: slices.map(({ op = 'MatMul' }) => op),
    row: Uint16Array.from(slices, ({ row = 0 }) => row),
    start: Float64Array.from(slices, ({ start }) => start),
    end: Float64Array.from(slices, ({ end }) => end),
    bytes: Float64Array.from(slices, ({ bytes = 0 }) => bytes),
    inputs: slices.map(({ inputs = [] }) => inputs),
    from: slices.map(({ from = '' }) => from),
  };
}

/** `count` slices one after another, lengths 1 to 7 µs with gaps of 0 to 2 µs; the same for the same seed. */
export function busyLane(device: string, count: number, seed = 1): TimelineLane {
  let [state, time] = [seed, 0];
  const random = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
  return laneOf(
    device,
    Array.from({ length: count }, () => {
      const start = time + random(3);
      time = start + 1 + random(7000) / 1000;
      return { start, end: time };
    }),
  );
}
