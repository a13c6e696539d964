import type { TraceView } from '#proto/ipc/contract.ts';
import { placeLanes } from '../../plots/timeline/lane-layout.ts';
import { linkNodes } from '../../plots/timeline/links.ts';
import { type Direction, firstFrom, neighbour } from '../../plots/timeline/navigate.ts';
import { indexRows } from '../../plots/timeline/row-index.ts';
import { fitView, focusView, panView, revealView, type TimeView, zoomView } from '../../plots/timeline/time-view.ts';
import { lengthOf, type SliceRef } from '../../plots/timeline/timeline-data.ts';
import { findArrows } from '../../plots/timeline/transfers.ts';
import type { Colouring } from './colours.ts';
import { countFound, findSlices, nextFound } from './search.ts';
import { byStart } from './tree.ts';

/** How traces are shown; stays while one goes from trace to trace. */
export class TraceOptions {
  view = $state<'timeline' | 'totals' | 'tree'>('timeline');
  colouring = $state<Colouring>('device');
}

/** One open trace: its indexes, made once, and what of it is shown, selected and searched, in all its views at once. */
export class TraceModel {
  readonly trace: TraceView;
  readonly length: number;
  readonly rows;
  readonly arrows;
  readonly links;
  /** Slices of each lane by start. */
  readonly orders;

  view: TimeView = $state.raw(fitView(1));
  selected = $state.raw<SliceRef | undefined>(undefined);
  folded = $state.raw<ReadonlySet<number>>(new Set());
  /** Height in pixels that the lanes may take. */
  room = $state.raw(0);
  search = $state.raw('');
  readonly found = $derived.by(() => findSlices(this.trace.lanes, this.search));
  readonly foundCount = $derived(this.found && countFound(this.found));
  readonly places = $derived.by(() =>
    placeLanes(
      // A note about its clock needs the room of three rows.
      this.trace.lanes.map(({ rows, clock }) => Math.max(rows, clock ? 3 : 0)),
      this.folded,
      this.room,
    ),
  );

  constructor(trace: TraceView) {
    this.trace = trace;
    this.length = lengthOf(trace.lanes, trace.duration);
    this.rows = trace.lanes.map(indexRows);
    this.arrows = findArrows(trace.lanes);
    this.links = linkNodes(trace.lanes);
    this.orders = trace.lanes.map(byStart);
    this.fit();
  }

  /** Selects a slice and brings it into view; its lane is unfolded. */
  select(slice: SliceRef | undefined): void {
    this.selected = slice;
    if (!slice) return;
    if (this.folded.has(slice.lane)) this.toggleFold(slice.lane);
    this.view = revealView(this.view, ...this.timesOf(slice), this.length);
  }

  step(direction: Direction): void {
    const next = this.selected && neighbour(this.trace.lanes, this.rows, this.selected, direction);
    if (next) this.select(next);
  }

  selectFirst(): void {
    this.select(firstFrom(this.rows, this.view.start));
  }

  selectFound(by: 1 | -1): void {
    const next = this.found && nextFound(this.trace.lanes, this.found, this.selected, by);
    if (next) this.select(next);
  }

  toggleFold(lane: number): void {
    const folded = new Set(this.folded);
    if (!folded.delete(lane)) folded.add(lane);
    this.folded = folded;
  }

  fit(): void {
    this.view = fitView(this.length);
  }

  focus(): void {
    if (this.selected) this.view = focusView(...this.timesOf(this.selected), this.length);
  }

  /** A `factor` below 1 magnifies, around the middle when no moment is given. */
  zoom(factor: number, anchor = this.view.start + this.view.span / 2): void {
    this.view = zoomView(this.view, anchor, factor, this.length);
  }

  pan(by: number): void {
    this.view = panView(this.view, by, this.length);
  }

  timesOf({ lane, slice }: SliceRef): [start: number, end: number] {
    const columns = this.trace.lanes[lane];
    return [columns?.start[slice] ?? 0, columns?.end[slice] ?? 0];
  }
}
