import type { GraphBuilder } from '../graph/node.ts';
import { initializers } from '../ops/initializers.ts';
import { makeVariable, type Variable } from '../ops/variable.ts';

const COLLECTION = 'global_step';

/** The graph's count of training steps, `global_step`, an int64 scalar that starts at 0; made on the first call. */
export function globalStep(graph: GraphBuilder): Variable {
  const list = graph.collection<Variable>(COLLECTION);
  const [known] = list;
  if (known) return known;
  const options = { dtype: 'int64', shape: [], trainable: false } as const;
  const made = graph.nameScope('', () => makeVariable(graph, 'global_step', initializers.zeros(), options));
  list.push(made);
  return made;
}
