import { type Analysis, analyze } from '#proto/graph-document/analysis.ts';
import type { GraphDocument } from '#proto/graph-document/document.ts';
import { findProblems } from '#proto/graph-document/find-problems.ts';
import { parseEdgeId } from './canvas-elements.ts';
import type { Pasted } from './model/clipboard.ts';
import { type Command, disconnect, remove, rename } from './model/commands.ts';
import { edit, endStroke, type History, openHistory, redo, undo } from './model/history.ts';

/** One document while it is drawn: what it is now, the way back and forth, what is selected, and what is wrong with it. */
export class Drawing {
  #history: History<GraphDocument> = $state.raw() as History<GraphDocument>;
  /** Names of nodes, and ids of edges; the current one last. */
  selected = $state.raw<readonly string[]>([]);
  readonly document: GraphDocument = $derived(this.#history.present);
  readonly canUndo = $derived(this.#history.past.length > 0);
  readonly canRedo = $derived(this.#history.future.length > 0);
  readonly analysis: Analysis = $derived.by(() => this.#analyze());
  readonly problems = $derived(findProblems(this.document, this.analysis));
  readonly selectedNodes = $derived(this.document.nodes.filter(({ name }) => this.selected.includes(name)));
  /** The node that the inspector shows. */
  readonly current = $derived(this.selectedNodes.find(({ name }) => name === this.selected.at(-1)));
  #lastAnalysis: Analysis | undefined;

  constructor(document: GraphDocument) {
    this.#history = openHistory(document);
  }

  /** Edits of one stroke that follow each other are taken back together. */
  readonly do = (command: Command, stroke = ''): void => {
    this.#become(edit(this.#history, command, stroke));
  };

  /** The next edit is not joined with the last one. */
  readonly endStroke = (): void => this.#become(endStroke(this.#history));
  readonly undo = (): void => this.#become(undo(this.#history));
  readonly redo = (): void => this.#become(redo(this.#history));
  readonly select = (ids: readonly string[]): void => {
    this.selected = ids;
  };

  /** The selected nodes and edges. */
  readonly removeSelected = (): void => this.remove(this.selected);

  readonly remove = (ids: readonly string[]): void => {
    const edges = ids.flatMap((id) => parseEdgeId(id) ?? []);
    // From the end of a list to its beginning, so that positions stay right.
    const last = [...edges].sort((a, b) => b.position - a.position);
    this.do((document) => last.reduce((next, { position, ...place }) => disconnect(place, position)(next), remove(ids)(document)));
  };

  readonly rename = (from: string, to: string): void => {
    const selected = this.selected.map((id) => (id === from ? to : id));
    this.do(rename(from, to));
    this.select(selected);
  };

  /** Adds copies, and selects them. */
  readonly paste = ({ command, names }: Pasted): void => {
    this.do(command);
    this.selected = names;
  };

  #become(history: History<GraphDocument>): void {
    this.#history = history;
    const names = new Set(history.present.nodes.map(({ name }) => name));
    const kept = this.selected.filter((id) => names.has(parseEdgeId(id)?.node ?? id));
    if (kept.length !== this.selected.length) this.selected = kept;
  }

  #analyze(): Analysis {
    this.#lastAnalysis = analyze(this.document, this.#lastAnalysis);
    return this.#lastAnalysis;
  }
}
