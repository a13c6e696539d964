import ELK from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { effortOf } from './effort.ts';
import { fromElk, toElk } from './elk-graph.ts';
import type { Layout, LayoutRequest } from './layout.ts';
import { quickLayout } from './quick-layout.ts';

/** What ELK does in about a second; beyond it the quick layout serves. */
const MOST = { nodes: 320, passes: 1200 };
/** Milliseconds after which nobody wants to wait any longer. */
const PATIENCE = 4000;

/** Finds places for the nodes of a graph, beside the page's own thread. Disposed by whoever made it. */
export class Layouter {
  #elk: InstanceType<typeof ELK> | undefined;
  #stop: (() => void) | undefined;

  /** Starts its worker before it is needed, and lets it do something: the first layout takes several times as long as later ones. */
  async warmUp(): Promise<void> {
    const nodes = Array.from({ length: 24 }, (_, at) => ({
      id: `${at}`,
      width: 120,
      height: 40,
      parent: at % 4 === 0 ? undefined : `${at - (at % 4)}`,
    }));
    const edges = nodes.slice(2).map(({ id }, at) => ({ id: `e${id}`, from: `${at + 1}`, to: id }));
    await this.#engine.layout(toElk({ nodes, edges, direction: 'right' }));
  }

  /** A layout that is asked for while another one is being made takes its place; the other one becomes a quick one. */
  async layout(request: LayoutRequest): Promise<Layout> {
    this.hurry();
    if (request.nodes.length > MOST.nodes || effortOf(request.nodes, request.edges).passes > MOST.passes) return quickLayout(request);
    const stopped = new Promise<undefined>((resolve) => {
      this.#stop = () => resolve(undefined);
    });
    const stop = this.#stop;
    const timer = setTimeout(() => this.hurry(), PATIENCE);
    try {
      const laidOut = await Promise.race([this.#engine.layout(toElk(request)), stopped]);
      return laidOut ? fromElk(laidOut) : quickLayout(request);
    } finally {
      if (this.#stop === stop) this.#stop = undefined;
      clearTimeout(timer);
    }
  }

  /** Makes do with the quick layout for what is being laid out. */
  hurry(): void {
    if (!this.#stop) return;
    this.#stop();
    this.#stop = undefined;
    this.dispose();
  }

  dispose(): void {
    this.#elk?.terminateWorker();
    this.#elk = undefined;
  }

  get #engine(): InstanceType<typeof ELK> {
    this.#elk ??= new ELK({ workerFactory: () => new Worker(workerUrl) });
    return this.#elk;
  }
}
