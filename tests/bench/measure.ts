import type { TaskEngine } from '../support/task-process.ts';

/** Ours, and TensorFlow as its users start it. */
export const engines = ['bundled', 'python'] as const satisfies readonly TaskEngine[];
export type Engine = (typeof engines)[number];

export interface Measurement {
  readonly name: string;
  /** Language of the client; absent where none takes part. */
  readonly client?: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  /** The ratio to reach, as `advantage` computes it. */
  readonly goal: number;
  readonly values: Readonly<Record<Engine, number>>;
}

/** How many times better the bundled engine is; below 1 it is worse. */
export function advantage({ better, values }: Measurement): number {
  return better === 'less' ? values.python / values.bundled : values.bundled / values.python;
}

/** Takes turns between the engines, so that whatever else the machine does meets both; gives the medians. */
export async function interleave(rounds: number, sample: (engine: Engine) => Promise<number>): Promise<Record<Engine, number>> {
  const samples: Record<Engine, number[]> = { bundled: [], python: [] };
  for (let round = 0; round < rounds; round++) {
    for (const engine of engines) samples[engine].push(await sample(engine));
  }
  return { bundled: median(samples.bundled), python: median(samples.python) };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
