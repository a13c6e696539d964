/** Beyond this the monotonic clock has lost time (a laptop that slept) and cannot be compared with other machines'. */
const MAX_SKEW_MS = 1000;

/**
 * Nanoseconds since the Unix epoch, about a microsecond exact and monotonic: what all times of a trace are taken with, so
 * that those of one process can be compared.
 */
export function epochNanos(): bigint {
  const { timeOrigin } = performance;
  const elapsed = performance.now();
  const wall = Date.now();
  if (Math.abs(wall - timeOrigin - elapsed) > MAX_SKEW_MS) return BigInt(wall) * 1_000_000n;
  return BigInt(Math.round(timeOrigin * 1000)) * 1000n + BigInt(Math.round(elapsed * 1e6));
}
