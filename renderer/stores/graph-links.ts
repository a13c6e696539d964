import type { GraphQuery } from '#proto/ipc/contract.ts';
import { href } from './router.svelte.ts';

/** What of a graph is shown. */
export interface GraphPlace extends GraphQuery {
  /** Shown and selected. */
  readonly node?: string;
}

/** The address of a graph: `#/graph/PROGRAM`, `#/graph/run/RUN`, with `?client=…&node=…`. */
export function graphHref({ of, client, node }: GraphPlace): string {
  const path = 'program' in of ? href('graph', of.program) : href('graph', 'run', of.run);
  const query = new URLSearchParams({ ...(client && { client }), ...(node && { node }) }).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** The graph at an address; undefined when it names none. */
export function readGraphPlace(parts: readonly string[], query: URLSearchParams): GraphPlace | undefined {
  const [first, run] = parts;
  if (first === undefined) return undefined;
  const client = query.get('client');
  const node = query.get('node');
  return {
    of: first === 'run' && run !== undefined ? { run } : { program: first },
    ...(client && { client }),
    ...(node && { node }),
  };
}
