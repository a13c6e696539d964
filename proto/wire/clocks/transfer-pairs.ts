import type { DeviceEntries, StepEntries, StepEntry } from '../timeline.ts';

/** A transfer and the run of the node that made its tensor. */
export interface TransferPair<Entry extends StepEntry = StepEntry> {
  /** Device. */
  readonly from: string;
  readonly producer: Entry;
  /** Device. */
  readonly to: string;
  readonly receiver: Entry;
}

/**
 * The transfers whose tensor's node is in the step. A node in a loop makes its tensor many times: the n-th arrival is paired
 * with the n-th production, which came before it whichever tensor it brought.
 */
export function pairTransfers<Entry extends StepEntry>({ devices }: StepEntries<DeviceEntries<Entry>>): TransferPair<Entry>[] {
  const productions = new Map<string, Entry[]>();
  const arrivals = new Map<string, { from: string; node: string; to: string; receivers: Entry[] }>();
  for (const { device, entries } of devices) {
    for (const entry of entries) {
      const { name, transfer } = entry;
      if (!transfer) {
        append(productions, `${device} ${name}`, entry);
        continue;
      }
      const edge = `${transfer.from} ${transfer.tensor} ${device}`;
      const arrived = arrivals.get(edge);
      if (arrived) arrived.receivers.push(entry);
      else arrivals.set(edge, { from: transfer.from, node: nodeOf(transfer.tensor), to: device, receivers: [entry] });
    }
  }
  return [...arrivals.values()].flatMap(({ from, node, to, receivers }) => {
    const producers = inOrder(productions.get(`${from} ${node}`) ?? [], ({ opEnd }) => opEnd);
    return inOrder(receivers, ({ end }) => end).flatMap((receiver, i): TransferPair<Entry>[] => {
      const producer = producers[i];
      return producer ? [{ from, producer, to, receiver }] : [];
    });
  });
}

function inOrder<Entry>(entries: readonly Entry[], timeOf: (entry: Entry) => number): readonly Entry[] {
  return entries.length > 1 ? entries.toSorted((a, b) => timeOf(a) - timeOf(b)) : entries;
}

/** `edge_12_w/read` and `edge_12_w/read:1` → `w/read`. */
function nodeOf(tensor: string): string {
  return tensor.replace(/^edge_\d+_/, '').replace(/:\d+$/, '');
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
