import { at } from './row-index.ts';
import type { SliceRef, TimelineLane } from './timeline-data.ts';

/** A tensor on its way: from the slice that made it to the end of the receiving slice. */
export interface Arrow {
  /** Undefined when the sender's part of the trace does not have the node. */
  readonly producer: SliceRef | undefined;
  readonly fromLane: number;
  readonly receiver: SliceRef;
  readonly leave: number;
  readonly arrive: number;
  readonly bytes: number;
}

/** All transfers whose sender has a lane, by arrival. */
export function findArrows(lanes: readonly TimelineLane[]): Arrow[] {
  const laneOf = new Map(lanes.map(({ device }, lane) => [device, lane]));
  const producers = lanes.map(({ names, from }) => new Map(names.flatMap((name, slice) => (from[slice] ? [] : [[name, slice] as const]))));
  const arrows: Arrow[] = [];
  for (const [lane, { names, from, inputs, start, end, bytes }] of lanes.entries()) {
    for (const [slice, sender] of from.entries()) {
      const fromLane = laneOf.get(sender);
      if (fromLane === undefined) continue;
      const made = producers[fromLane]?.get(nodeOf(inputs[slice]?.[0] ?? names[slice] ?? ''));
      const arrive = at(end, slice);
      const ready = made === undefined ? undefined : at(lanes[fromLane]?.end ?? new Float64Array(), made);
      arrows.push({
        producer: made === undefined ? undefined : { lane: fromLane, slice: made },
        fromLane,
        receiver: { lane, slice },
        // Clocks of two machines differ: nothing leaves after it has arrived.
        leave: ready !== undefined && ready <= arrive ? ready : at(start, slice),
        arrive,
        bytes: at(bytes, slice),
      });
    }
  }
  return arrows.sort((a, b) => a.arrive - b.arrive);
}

/** The node behind an edge, a tensor or a control input: `edge_12_w/read:1`, `w/read:1` and `^w/read` → `w/read`. */
export function nodeOf(tensor: string): string {
  return tensor
    .replace(/^\^/, '')
    .replace(/^edge_\d+_/, '')
    .replace(/:\d+$/, '');
}

/** What a slice is called: by its node, and a transfer by the node whose tensor it brings. */
export function titleOf({ names, from, inputs }: TimelineLane, slice: number): string {
  const name = names[slice] ?? '';
  return from[slice] ? nodeOf(inputs[slice]?.[0] ?? name) : name;
}

/** Arrows closer than this at both ends, in pixels, look like one. */
const APART = 3;

/** The arrows to draw, `pixel` microseconds being one pixel: those that touch the shown time, without those that would lie on another. */
export function visibleArrows(arrows: readonly Arrow[], from: number, to: number, pixel: number): Arrow[] {
  const seen = new Set<string>();
  const place = (time: number): number => Math.floor(time / pixel / APART);
  return arrows.filter(({ leave, arrive, fromLane, receiver }) => {
    if (arrive < from || leave > to) return false;
    const key = `${fromLane}>${receiver.lane} ${place(leave)} ${place(arrive)}`;
    return seen.size !== seen.add(key).size;
  });
}
