import type { SeriesColumns } from '#proto/ipc/contract.ts';
import { deviceColor, deviceLabel } from '../../components/device.ts';
import type { PlotSeries } from '../../plots/plot-model.ts';
import { type Axes, axisOf } from './axes.ts';

export interface PlotGroup {
  /** Key of its axis. */
  readonly id: string;
  readonly title: string;
  /** Those that share the axis. */
  readonly names: readonly string[];
  readonly series: readonly PlotSeries[];
}

interface GroupOptions {
  readonly axes?: Axes;
  /** When tasks were restarted, Unix epoch in milliseconds. */
  readonly restarts?: readonly number[];
}

const PALETTE = 10;
/** Names on one axis whose colours say which client they come from are told apart by their dashes. */
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3], [10, 4, 2, 4]];

/** The plots of a run. Colours are those of the clients; series of the only client have one each. */
export function groupSeries(all: readonly SeriesColumns[], { axes = {}, restarts = [] }: GroupOptions = {}): readonly PlotGroup[] {
  const names = [...new Set(all.map(({ name }) => name))];
  const oneClient = new Set(all.map(({ client }) => client)).size <= 1;
  const toSeries = (columns: SeriesColumns, isShared: boolean): PlotSeries => {
    const name = names.indexOf(columns.name);
    const isTask = columns.client.startsWith('/job:');
    return {
      id: JSON.stringify([columns.client, columns.name]),
      label: [...(isShared ? [columns.name] : []), ...(oneClient ? [] : [deviceLabel(columns.client)])].join(' · ') || columns.name,
      color: isTask && !(isShared && oneClient) ? deviceColor(columns.client) : `var(--device-${name % PALETTE})`,
      dash: (isShared && !oneClient ? dashes[name % dashes.length] : undefined) ?? [],
      points: columns,
      restarts,
    };
  };
  return [...new Set(names.map((name) => axisOf(axes, name)))].map((axis) => {
    const own = names.filter((name) => axisOf(axes, name) === axis);
    const series = all.filter(({ name }) => own.includes(name)).map((columns) => toSeries(columns, own.length > 1));
    return { id: axis, title: own.join(', '), names: own, series };
  });
}

/** The same series of two runs over each other: a colour for each run, dashes for its clients. */
export function overlaySeries(
  runs: readonly (Pick<GroupOptions, 'restarts'> & { readonly title: string; readonly series: readonly SeriesColumns[] })[],
): readonly PlotGroup[] {
  const names = [...new Set(runs.flatMap(({ series }) => series.map(({ name }) => name)))];
  return names.map((name) => ({
    id: name,
    title: name,
    names: [name],
    series: runs.flatMap((run, at) => {
      const own = run.series.filter((columns) => columns.name === name);
      return own.map((columns, client) => ({
        id: JSON.stringify([at, columns.client, name]),
        label: own.length > 1 ? `${run.title} · ${deviceLabel(columns.client)}` : run.title,
        color: `var(--device-${at * 3})`,
        dash: dashes[client % dashes.length] ?? [],
        points: columns,
        restarts: run.restarts ?? [],
      }));
    }),
  }));
}
