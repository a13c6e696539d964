import type { TimelineCommand } from '../../plots/timeline/keys.ts';
import type { TraceModel } from './trace-model.svelte.ts';

/** One press magnifies by a fifth or moves by an eighth of what is shown: keys repeat. */
const ZOOM = 0.8;
const PAN = 1 / 8;
const SCROLL = 40;

type Scroll = (by: number) => void;

const commands: Readonly<Record<TimelineCommand, (model: TraceModel, scroll: Scroll) => void>> = {
  zoomIn: (model) => model.zoom(ZOOM),
  zoomOut: (model) => model.zoom(1 / ZOOM),
  panLeft: (model) => model.pan(-model.view.span * PAN),
  panRight: (model) => model.pan(model.view.span * PAN),
  scrollUp: (_, scroll) => scroll(-SCROLL),
  scrollDown: (_, scroll) => scroll(SCROLL),
  fit: (model) => model.fit(),
  focus: (model) => model.focus(),
  selectFirst: (model) => model.selectFirst(),
  clear: (model) => model.select(undefined),
  next: (model) => model.step('next'),
  previous: (model) => model.step('previous'),
  up: (model) => model.step('up'),
  down: (model) => model.step('down'),
};

export function runCommand(command: TimelineCommand, model: TraceModel, scroll: Scroll): void {
  commands[command](model, scroll);
}
