import type { GraphDocument } from '#proto/graph-document/document.ts';
import { readDocument } from '#proto/graph-document/read-document.ts';
import { writeDocument } from '#proto/graph-document/write-document.ts';
import type { RunPlan } from '#proto/ipc/contract.ts';
import { toStatusError } from '#proto/wire/status.ts';
import type { App } from '../../stores/app.ts';
import type { ProgramDraft } from '../../stores/program-drafts.svelte.ts';
import { Drawing } from './drawing.svelte.ts';
import { movedPins, type Renamed, renamedNode } from './model/renamed.ts';

/** A drawing with the text that is saved of it. Made in a component: it follows both while that one is shown. */
export class OpenDrawing {
  readonly program: string;
  readonly draft: ProgramDraft;
  readonly drawing: Drawing;
  readonly #app: App;
  /** The text of what is drawn, as far as it has been told. */
  #text: string;
  #told: GraphDocument;

  /** Throws INVALID_ARGUMENT when the text is no graph document. */
  constructor(app: App, program: string, draft: ProgramDraft) {
    this.#app = app;
    this.program = program;
    this.draft = draft;
    this.#text = draft.state.source;
    this.#told = readDocument(this.#text);
    this.drawing = new Drawing(this.#told);
  }

  /** What was drawn is to be saved. */
  readonly tell = (): void => {
    const text = writeDocument(this.drawing.document);
    if (text === this.#text || text === this.draft.state.source) return;
    this.#text = text;
    this.draft.type(text);
    const renamed = renamedNode(this.#told, this.drawing.document);
    this.#told = this.drawing.document;
    if (renamed) void this.#app.toasts.guard(() => this.#movePins(renamed));
  };

  /** The text is another one than what is drawn: somebody else has written it. */
  readonly follow = (): void => {
    const { source } = this.draft.state;
    if (source === this.#text) return;
    this.#text = source;
    try {
      const theirs = readDocument(source);
      if (writeDocument(theirs) === writeDocument(this.drawing.document)) return;
      this.#told = theirs;
      this.drawing.do(() => theirs);
      this.#app.toasts.warn(this.#app.i18n.text('draw.changedElsewhere'));
    } catch (error) {
      this.#app.toasts.fail(toStatusError(error));
    }
  };

  async #movePins(renamed: Renamed): Promise<void> {
    const { core } = this.#app;
    const pins = movedPins(await core.call('programs.pins', { program: this.program }), renamed);
    if (pins) await core.call('programs.setPins', { program: this.program, pins });
  }

  /** How the document says that it is run; its variables' initializers are for the core to find. */
  get plan(): RunPlan {
    const { fetches, targets, watch, steps, interval, traceEvery, feeds } = this.drawing.document.run;
    const values = Object.entries(feeds).map(([name, value]) => [name, JSON.stringify(value)]);
    return { fetches, targets, watch, steps, interval, traceEvery, feeds: Object.fromEntries(values) };
  }

  /** Saves it, and runs what is saved. */
  readonly run = async (): Promise<void> => {
    const { programs, runs, router } = this.#app;
    await programs.drafts.flush(this.program);
    const run = await runs.start({ program: this.program, plan: this.plan });
    router.go('runs', run.id);
  };

  readonly export = async (format: 'pb' | 'pbtxt'): Promise<void> => {
    const { core, programs, shell, toasts, i18n } = this.#app;
    await programs.drafts.flush(this.program);
    const { name, content } = await core.call('graphs.export', { of: { program: this.program }, format });
    if (await shell.saveFile(name, content)) toasts.say(i18n.text('draw.exported', { name }));
  };
}
