import { type SliceRef, sameSlice, type TimelineLane } from './timeline-data.ts';
import { type Arrow, nodeOf, titleOf } from './transfers.ts';

/** Which slices belong to a node, and which read it, by the node's name. */
interface Links {
  readonly slices: ReadonlyMap<string, readonly SliceRef[]>;
  readonly readers: ReadonlyMap<string, readonly SliceRef[]>;
}

export function linkNodes(lanes: readonly TimelineLane[]): Links {
  const slices = new Map<string, SliceRef[]>();
  const readers = new Map<string, SliceRef[]>();
  const add = (map: Map<string, SliceRef[]>, node: string, ref: SliceRef): void => {
    const known = map.get(node);
    if (known) known.push(ref);
    else map.set(node, [ref]);
  };
  for (const [lane, columns] of lanes.entries()) {
    for (const [slice, inputs] of columns.inputs.entries()) {
      add(slices, titleOf(columns, slice), { lane, slice });
      if (columns.from[slice]) continue;
      for (const input of inputs) add(readers, nodeOf(input), { lane, slice });
    }
  }
  return { slices, readers };
}

/** Where an input of a slice comes from: from the same device where possible, such as the transfer that brought it. */
export function producerOf({ slices }: Links, input: string, reader: SliceRef): SliceRef | undefined {
  const node = nodeOf(input);
  // A Recv that TensorFlow put in has the name of what it receives and a number.
  const candidates = (slices.get(node) ?? slices.get(node.replace(/\/_\d+$/, '')) ?? []).filter((ref) => !sameSlice(ref, reader));
  return candidates.find(({ lane }) => lane === reader.lane) ?? candidates[0];
}

/** What goes on with the output of a slice called `title`: readers on the same device, and transfers to others. */
export function consumersOf({ readers }: Links, arrows: readonly Arrow[], title: string, ref: SliceRef): SliceRef[] {
  const here = (readers.get(title) ?? []).filter(({ lane }) => lane === ref.lane);
  const sent = arrows.filter(({ producer }) => sameSlice(producer, ref)).map(({ receiver }) => receiver);
  return [...here, ...sent];
}
