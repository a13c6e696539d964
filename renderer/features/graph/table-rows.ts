import { compareDevices } from '../../components/device.ts';
import type { GraphModel } from './graph-model.ts';
import { deviceOf, type NodeFacts } from './node-look.ts';

export const tableColumns = ['name', 'op', 'device', 'placed', 'why'] as const;
export type TableColumn = (typeof tableColumns)[number];

/** A node as the table shows it. */
export type TableRow = Readonly<Record<TableColumn, string>>;

/** All nodes that have the words of the filter somewhere, in the order of one column. */
export function tableRows(
  model: GraphModel,
  facts: NodeFacts,
  why: (node: string) => string,
  { filter, column, descending }: { readonly filter: string; readonly column: TableColumn; readonly descending: boolean },
): readonly TableRow[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = [...model.nodes.values()].map(
    ({ name, op }): TableRow => ({ name, op, device: facts.requested(name), placed: facts.placed(name), why: why(name) }),
  );
  const matching = rows.filter((row) =>
    words.every((word) => `${row.name} ${row.op} ${deviceOf(facts, row.name)}`.toLowerCase().includes(word)),
  );
  const compare = column === 'device' || column === 'placed' ? compareDevices : compareNames;
  return matching.sort((a, b) => (descending ? -1 : 1) * compare(a[column], b[column]) || compareNames(a.name, b.name));
}

const collator = new Intl.Collator('en', { numeric: true });

/** `add_2` before `add_10`. */
function compareNames(a: string, b: string): number {
  return collator.compare(a, b);
}
