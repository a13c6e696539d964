import type { DeviceSummary, GraphQuery, GraphView, NodeDetails, Pins, PlacementView } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError } from '#proto/wire/status.ts';
import type { Core } from '../api/core.ts';
import { Question } from './graph-question.ts';
import { Remote } from './remote.svelte.ts';

/** Milliseconds without another change of the pins before the master is asked where everything goes. */
const SETTLED = 400;

/** The graph that one client of a program builds, or that a run has recorded: with pins, and where the master would place it. */
export class GraphSource {
  readonly query: GraphQuery;
  readonly view: Remote<GraphView>;
  pins = $state.raw<Pins>({});
  placement = $state.raw<PlacementView | undefined>(undefined);
  /** Why the last placement could not be found out. */
  placementError = $state.raw<StatusError | undefined>(undefined);
  /** The master is being asked. */
  placing = $state(false);
  /** Id of the cluster that is placed on; empty for one as the program wants it. */
  cluster = $state('');
  /** Of the chosen cluster; undefined for one as the program wants it. */
  devices = $state.raw<readonly DeviceSummary[] | undefined>(undefined);
  readonly #core: Core;
  readonly #placing: Question<PlacementView>;

  constructor(core: Core, query: GraphQuery) {
    this.#core = core;
    this.query = query;
    this.#placing = new Question({
      ask: () => core.call('graphs.place', { ...query, ...(this.cluster && { cluster: this.cluster }) }),
      answered: (placement) => {
        this.placement = placement;
        this.placementError = undefined;
      },
      failed: (error) => {
        this.placementError = error;
      },
      waiting: (isWaiting) => {
        this.placing = isWaiting;
      },
      settled: SETTLED,
    });
    // What did not change stays the same object, so that whoever shows it need not begin anew.
    this.view = new Remote(async () => {
      const view = await core.call('graphs.view', query);
      return JSON.stringify(view) === JSON.stringify(this.view.value) ? (this.view.value ?? view) : view;
    });
  }

  /** Undefined for a run: what is recorded cannot be pinned any more. */
  get program(): string | undefined {
    return 'program' in this.query.of ? this.query.of.program : undefined;
  }

  /** Loads everything now and whenever it may have changed, until the returned function is called. */
  follow(): () => void {
    const { program } = this;
    const stops = [
      this.#core.onState((state) => {
        if (state.kind === 'connected') void this.#load();
      }),
      this.#core.on('programs.pinned', (event) => {
        if (event.program === program) this.#setPins(event.pins);
      }),
      this.#core.on('programs.changed', () => {
        if (program !== undefined) void this.#load();
      }),
    ];
    return () => {
      this.#placing.stop();
      for (const stop of stops) stop();
    };
  }

  /** Saves them at once. Rejects, with the pins as they were, when they cannot be saved. */
  async savePins(pins: Pins): Promise<void> {
    const { program } = this;
    if (program === undefined) return;
    const before = this.pins;
    this.#setPins(pins);
    try {
      this.#setPins(await this.#core.call('programs.setPins', { program, pins }));
    } catch (error) {
      this.#setPins(before);
      throw error;
    }
  }

  async choose(cluster: string): Promise<void> {
    this.cluster = cluster;
    this.devices = undefined;
    if (cluster !== '') {
      const devices = await this.#core.call('clusters.devices', { cluster });
      if (this.cluster === cluster) this.devices = devices;
    }
    await this.place();
  }

  /** Asks the master where everything goes. */
  readonly place = (): Promise<void> => this.#placing.now();

  details(node: string): Remote<NodeDetails> {
    return new Remote(() => this.#core.call('graphs.node', { ...this.query, node }));
  }

  #setPins(pins: Pins): void {
    if (JSON.stringify(pins) === JSON.stringify(this.pins)) return;
    this.pins = pins;
    this.#placing.soon();
  }

  async #load(): Promise<void> {
    const { program } = this;
    await Promise.all([this.view.load(), ...(program === undefined ? [] : [this.#loadPins(program)])]);
    if (this.view.value && this.view.value.names.length > 0) await this.place();
  }

  async #loadPins(program: string): Promise<void> {
    try {
      this.pins = await this.#core.call('programs.pins', { program });
    } catch (error) {
      this.placementError = toStatusError(error);
    }
  }
}
