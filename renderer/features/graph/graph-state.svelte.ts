import type { GraphView } from '#proto/ipc/contract.ts';
import type { Layout } from '../../components/graph-canvas/layout.ts';
import type { Layouter } from '../../components/graph-canvas/layouter.ts';
import type { CanvasDirection, CanvasPoint } from '../../components/graph-canvas/types.ts';
import type { GraphSource } from '../../stores/graph.svelte.ts';
import { type GraphModel, modelGraph, nodesWithin } from './graph-model.ts';
import { type Colouring, deviceOf, type NodeFacts, sizeOf } from './node-look.ts';
import { differs, pinOf } from './pins.ts';
import { searchNodes } from './search.ts';
import { openAround, openAtFirst, shownFor, toggleScope, visibleGraph } from './visible-graph.ts';

/** Milliseconds after which one is told that a layout is being made. */
const NOTICED = 300;

interface Arrangement {
  readonly open: ReadonlySet<string>;
  readonly direction: CanvasDirection;
  readonly layout: Layout;
}

interface ArrangeOptions {
  readonly direction?: CanvasDirection;
  /** Id of what stays where it is on the screen. */
  readonly anchor?: string;
}

/** What the screen asks of the canvas after a new layout. */
export interface CanvasControl {
  fit(): void;
  hold(before: CanvasPoint, after: CanvasPoint): void;
  show(id: string): void;
}

/** How one graph is looked at: which scopes are open, what is selected, and where everything is drawn. */
export class GraphState {
  readonly source: GraphSource;
  /** Changes when the graph has changed. */
  readonly model: GraphModel;
  selected = $state.raw<readonly string[]>([]);
  colouring = $state<Colouring>('placed');
  search = $state('');
  /** A layout has been in the making for longer than one likes to wait. */
  isSlow = $state(false);
  arranged = $state.raw<Arrangement | undefined>(undefined);
  canvas: CanvasControl | undefined;
  readonly facts: NodeFacts = {
    placed: (name) => this.source.placement?.devices[name] ?? '',
    requested: (name) => pinOf(this.source.pins, name)?.device ?? this.model.nodes.get(name)?.device ?? '',
    isPinned: (id) => this.source.pins[id] !== undefined,
    isMoved: (name) => differs(this.facts.placed(name), this.facts.requested(name)),
    hasProblem: (name) => this.#problemNodes.has(name),
  };
  readonly visible = $derived.by(() => this.arranged && visibleGraph(this.model, this.arranged.open, (name) => deviceOf(this.facts, name)));
  readonly found = $derived.by(() => searchNodes(this.model.nodes.values(), this.search, (name) => deviceOf(this.facts, name)));
  readonly #problemNodes = $derived.by(() => new Set(this.source.placement?.problems.map(({ node }) => node)));
  readonly #layouter: Layouter;
  /** As it was asked for last; it is shown as soon as there is a layout for it. */
  #wanted: Pick<Arrangement, 'open' | 'direction'> = { open: new Set(), direction: 'right' };

  constructor(source: GraphSource, view: GraphView, layouter: Layouter) {
    this.source = source;
    this.model = modelGraph(view);
    this.#layouter = layouter;
  }

  get open(): ReadonlySet<string> {
    return this.arranged?.open ?? new Set();
  }

  get direction(): CanvasDirection {
    return this.arranged?.direction ?? 'right';
  }

  /** The first layout; around a node if one is wanted. Says whether that node is there. As before, where the graph was another one before. */
  async begin(node: string | undefined, before: GraphState | undefined): Promise<boolean> {
    if (before) this.colouring = before.colouring;
    const open = before?.open ?? openAtFirst(this.model);
    const isThere = node !== undefined && this.has(node);
    await this.#arrange(isThere ? openAround(this.model, open, node) : open, { direction: before?.direction ?? 'right' });
    if (before) this.selected = before.selected.filter((id) => this.has(id) && shownFor(this.model, open, id) === id);
    else if (isThere) await this.select([node]);
    return isThere || node === undefined;
  }

  /** Is there a node or a scope of that name? */
  has(name: string): boolean {
    return this.model.nodes.has(name) || this.model.scopes.has(name);
  }

  /** Opens or closes a scope, which stays where it is on the screen. */
  async toggle(scope: string): Promise<void> {
    if (!this.model.scopes.has(scope)) return;
    await this.#arrange(toggleScope(this.model, this.#wanted.open, scope), { anchor: scope });
    this.selected = [...new Set(this.selected.map((id) => shownFor(this.model, this.open, id)))];
  }

  async openAll(): Promise<void> {
    await this.#arrange(new Set([...this.model.scopes.keys()].filter(Boolean)));
    this.canvas?.fit();
  }

  async closeAll(): Promise<void> {
    this.selected = [];
    await this.#arrange(new Set());
    this.canvas?.fit();
  }

  async turn(direction: CanvasDirection): Promise<void> {
    await this.#arrange(this.#wanted.open, { direction });
    this.canvas?.fit();
  }

  /** Selects, opening the scopes around what is selected, and goes there. */
  readonly select = async (ids: readonly string[]): Promise<void> => {
    const [first] = ids;
    const isHidden = ids.some((id) => shownFor(this.model, this.#wanted.open, id) !== id);
    if (isHidden) await this.#arrange(ids.reduce((open, id) => openAround(this.model, open, id), this.#wanted.open));
    this.selected = ids;
    if (first !== undefined) this.canvas?.show(first);
  };

  /** The nodes that are selected, one by one or in scopes. */
  get selectedNodes(): readonly string[] {
    return [...new Set(this.selected.flatMap((id) => (id.endsWith('/') ? nodesWithin(this.model, id).map(({ name }) => name) : [id])))];
  }

  /** Makes do with a quick layout. */
  hurry(): void {
    this.#layouter.hurry();
  }

  async #arrange(open: ReadonlySet<string>, { direction = this.#wanted.direction, anchor = '' }: ArrangeOptions = {}): Promise<void> {
    const wanted = { open, direction };
    this.#wanted = wanted;
    const { items, edges } = visibleGraph(this.model, open, () => '');
    const timer = setTimeout(() => {
      this.isSlow = true;
    }, NOTICED);
    try {
      const nodes = items.map((item) => ({ id: item.id, ...sizeOf(item), parent: item.parent || undefined }));
      const layout = await this.#layouter.layout({ nodes, edges, direction });
      if (wanted !== this.#wanted) return;
      const before = this.arranged?.layout.boxes.get(anchor);
      this.arranged = { open, direction, layout };
      const after = layout.boxes.get(anchor);
      if (before && after) this.canvas?.hold(before, after);
    } finally {
      clearTimeout(timer);
      if (wanted === this.#wanted) this.isSlow = false;
    }
  }
}
