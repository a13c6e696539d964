/** TensorFlow's stand-in for a graph seed when only the op has one. */
const DEFAULT_GRAPH_SEED = 87654321;
const MOST = 2 ** 31 - 1;

/** The two seeds of each random op of one graph, by the rule of TensorFlow 2.x's `get_seed`. Zero and zero: seeded anew each time. */
export class SeedSequence {
  #count = 0;

  next(graphSeed: number | undefined, opSeed: number | undefined): { readonly seed: number; readonly seed2: number } {
    if (graphSeed === undefined && opSeed === undefined) return { seed: 0, seed2: 0 };
    const seed = (graphSeed ?? DEFAULT_GRAPH_SEED) % MOST;
    const seed2 = (opSeed ?? this.#count++) % MOST;
    return seed === 0 && seed2 === 0 ? { seed, seed2: MOST } : { seed, seed2 };
  }
}
