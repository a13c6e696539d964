/** Heights in pixels. */
export const SLICE_HEIGHT = 16;
const FOLDED_HEIGHT = 28;
/** A lane is at least as high as its two-line label. */
const LEAST_HEIGHT = 48;

/** Rows and the space around them take what room there is, between these. */
const tight = { row: 20, padding: 10 };
const loose = { row: 28, padding: 22 };

/** Where a lane stands, in pixels from the top of all lanes. */
export interface LanePlace {
  readonly top: number;
  readonly height: number;
  /** From one row to the next, and above the first. */
  readonly row: number;
  readonly padding: number;
  /** A folded lane shows one thin row of everything. */
  readonly folded: boolean;
}

/** Lanes with so many rows each, one below the other, filling the `room` if they can. */
export function placeLanes(rows: readonly number[], folded: ReadonlySet<number>, room = 0): LanePlace[] {
  const heightOf = (lane: number, { row, padding }: typeof tight): number =>
    folded.has(lane) ? FOLDED_HEIGHT : Math.max(LEAST_HEIGHT, (rows[lane] ?? 0) * row + 2 * padding);
  const sum = (spacing: typeof tight): number => rows.reduce((all, _, lane) => all + heightOf(lane, spacing), 0);
  const [least, most] = [sum(tight), sum(loose)];
  const share = most > least ? Math.min(1, Math.max(0, (room - least) / (most - least))) : 0;
  const between = (from: number, to: number): number => Math.floor(from + (to - from) * share);
  const spacing = { row: between(tight.row, loose.row), padding: between(tight.padding, loose.padding) };
  let top = 0;
  return rows.map((_, lane) => {
    const place = { top, height: heightOf(lane, spacing), ...spacing, folded: folded.has(lane) };
    top += place.height;
    return place;
  });
}

export function totalHeight(places: readonly LanePlace[]): number {
  const last = places.at(-1);
  return last ? last.top + last.height : 0;
}

/** Top of a row's slices, from the top of all lanes. */
export function rowTop({ top, folded, row, padding }: LanePlace, number: number): number {
  return folded ? top + (FOLDED_HEIGHT - SLICE_HEIGHT) / 2 : top + padding + number * row + (row - SLICE_HEIGHT) / 2;
}

/** Lane and row at a height; undefined above the first row of a lane. In a folded lane the row is undefined: it holds all. */
export function rowAt(places: readonly LanePlace[], y: number): { lane: number; row: number | undefined } | undefined {
  const lane = places.findIndex(({ top, height }) => y >= top && y < top + height);
  const place = places[lane];
  if (!place) return undefined;
  if (place.folded) return { lane, row: undefined };
  const row = Math.floor((y - place.top - place.padding) / place.row);
  return row < 0 ? undefined : { lane, row };
}
