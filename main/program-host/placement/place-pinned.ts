import type { GraphDef } from '#proto/generated/tensorflow/graph_pb.ts';
import type { Pins, PlacementView } from '#proto/ipc/contract.ts';
import { type PlaceOptions, placeGraph } from '../../client/index.ts';
import { applyPins, pinOf } from '../pins.ts';
import { placementProblems } from './placement-problems.ts';

export interface PinnedGraph {
  readonly graphDef: GraphDef;
  readonly pins: Pins;
}

/** Where the nodes of a pinned graph would go, for people. Rejects as `placeGraph` does. */
export async function placePinned(
  target: string,
  { graphDef: unpinned, pins }: PinnedGraph,
  options: PlaceOptions,
): Promise<PlacementView> {
  const graphDef = applyPins(unpinned, pins);
  const { devices, reasons, why, problems, available, leftOut } = await placeGraph(target, graphDef, options);
  const used = new Set(graphDef.node.map(({ name }) => pinOf(name, pins)));
  return {
    devices: Object.fromEntries(devices),
    reasons: Object.fromEntries(reasons),
    why: Object.fromEntries(why),
    problems: placementProblems(problems, { graphDef, pins, available, leftOut }),
    unusedPins: Object.keys(pins).filter((pin) => !used.has(pin)),
  };
}
