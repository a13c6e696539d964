/** One moment by two clocks, in milliseconds. While a machine sleeps the monotonic one may stand still; the wall's jumps afterwards. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function now(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** What ordinary delays of a busy machine do not reach. */
const SLACK_MS = 1500;

/**
 * Whether this process did not run for a part of a wait that should have taken `expectedMs`: its machine slept, or it was
 * stopped. What was waited for could then not come, and its absence says nothing.
 */
export function wasAway(from: Moment, to: Moment, expectedMs: number): boolean {
  const monotonic = to.monotonic - from.monotonic;
  const isLate = monotonic > expectedMs + SLACK_MS;
  const jumped = to.wall - from.wall - monotonic > SLACK_MS;
  return isLate || jumped;
}
