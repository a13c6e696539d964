/**
 * Where a logarithmic axis has its lines: at powers of ten, every so many when there would be more than `most`; at 1, 2 and 5 of each
 * power when few powers are in sight.
 */
export function logTicks(low: number, high: number, most: number): number[] {
  if (!(low > 0) || !(high > low)) return [];
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const inSight = (value: number) => value >= low && value <= high;
  const powers = (every: number, parts: readonly number[]) => {
    const ticks: number[] = [];
    for (let power = Math.ceil(first / every) * every; power <= last; power += every) {
      for (const part of parts) ticks.push(Number(`${part}e${power}`));
    }
    return ticks.filter(inSight);
  };
  const fine = powers(1, [1, 2, 5]);
  if (fine.length <= most) return fine;
  return powers(Math.max(1, Math.ceil((last - first) / most)), [1]);
}
