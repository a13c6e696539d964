import { arrayOps } from './array.ts';
import type { Bound } from './bind.ts';
import { elementwiseOps } from './elementwise.ts';
import { mathOps } from './math.ts';
import { nnOps } from './nn.ts';
import { queueOps } from './queue.ts';
import { randomOps } from './random.ts';
import { stateOps } from './state.ts';

/** Every op that has a function of its own. All others are made with `graph.op`. */
export const ops = { ...elementwiseOps, ...mathOps, ...arrayOps, ...nnOps, ...randomOps, ...stateOps, ...queueOps };

/** The op functions of one graph. */
export type Ops = Bound<typeof ops>;
