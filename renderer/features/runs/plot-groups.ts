import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { deviceColor, deviceLabel } from '../../components/device.ts';
import type { PlotSeries } from '../../plots/plot-model.ts';

export interface PlotGroup {
  readonly id: string;
  readonly title: string;
  readonly series: readonly PlotSeries[];
}

/** `byName`: a plot for each name, the clients in it; `together`: all on one axis. */
export type Grouping = 'byName' | 'together';

const PALETTE = 10;
/** Names on one axis whose colours say which client they come from are told apart by their dashes. */
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 4, 2, 4]];

/** The plots of a run. Colours are those of the clients; series of the only client have one each. */
export function groupSeries(all: readonly SeriesColumns[], grouping: Grouping): readonly PlotGroup[] {
  const names = [...new Set(all.map(({ name }) => name))];
  const oneClient = new Set(all.map(({ client }) => client)).size <= 1;
  const together = grouping === 'together' && names.length > 1;
  const toSeries = (columns: SeriesColumns): PlotSeries => {
    const name = names.indexOf(columns.name);
    const isTask = columns.client.startsWith('/job:');
    return {
      id: JSON.stringify([columns.client, columns.name]),
      label: [...(together ? [columns.name] : []), ...(oneClient ? [] : [deviceLabel(columns.client)])].join(' · ') || columns.name,
      color: isTask && !(together && oneClient) ? deviceColor(columns.client) : `var(--device-${name % PALETTE})`,
      dash: (together && !oneClient ? dashes[name % dashes.length] : undefined) ?? [],
      points: columns,
    };
  };
  if (together) return [{ id: 'together', title: names.join(', '), series: all.map(toSeries) }];
  return names.map((name) => ({ id: name, title: name, series: all.filter((columns) => columns.name === name).map(toSeries) }));
}

/** The same series of two runs over each other: a colour for each run, dashes for its clients. */
export function overlaySeries(
  runs: readonly { readonly title: string; readonly series: readonly SeriesColumns[] }[],
): readonly PlotGroup[] {
  const names = [...new Set(runs.flatMap(({ series }) => series.map(({ name }) => name)))];
  return names.map((name) => ({
    id: name,
    title: name,
    series: runs.flatMap((run, at) => {
      const own = run.series.filter((columns) => columns.name === name);
      return own.map((columns, client) => ({
        id: JSON.stringify([at, columns.client, name]),
        label: own.length > 1 ? `${run.title} · ${deviceLabel(columns.client)}` : run.title,
        color: `var(--device-${at * 3})`,
        dash: dashes[client % dashes.length] ?? [],
        points: columns,
      }));
    }),
  }));
}
