import type { TraceDevice } from '#proto/ipc/contract.ts';
import { laneOf, type SliceSpec } from './lanes-of.ts';

/** A device of a trace: a lane whose slices were ready `waited` microseconds before they started. */
export function traceDevice(device: string, slices: readonly (SliceSpec & { waited?: number })[]): TraceDevice {
  return { ...laneOf(device, slices), clock: null, scheduled: Float64Array.from(slices, ({ start, waited = 0 }) => start - waited) };
}
