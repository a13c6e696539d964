/** Part of an axis, from low to high. */
export type Range = readonly [low: number, high: number];

/** A range that is `factor` times as long, with `center` where it was in sight, and within `bounds`. */
export function zoomRange([low, high]: Range, factor: number, center: number, bounds: Range): Range {
  return keepWithin([center - (center - low) * factor, center + (high - center) * factor], bounds);
}

/** The range moved by a share of its length, within `bounds`. */
export function panRange([low, high]: Range, share: number, bounds: Range): Range {
  const move = (high - low) * share;
  return keepWithin([low + move, high + move], bounds);
}

function keepWithin([low, high]: Range, [least, most]: Range): Range {
  const length = Math.min(high - low, most - least);
  const start = Math.max(least, Math.min(low, most - length));
  return [start, start + length];
}
