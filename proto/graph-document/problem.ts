/**
 * Something that keeps a document from being run, or a connection from being made: a code with the names and values that its text
 * has slots for. `problemText` says it in English; the window has the same texts in its languages.
 */
export interface Problem {
  readonly code: ProblemCode;
  /** Name of the node that it is about; empty when it is about the document as a whole. */
  readonly node: string;
  readonly values: Readonly<Record<string, string | number>>;
}

export const problemTexts = {
  badName: "'{node}' is no name for a node; names have letters, digits and the signs . _ - /, and start with a letter, a digit or a dot",
  sameName: "two nodes are named '{node}'; rename one of them",
  badDevice: "{node}: '{device}' is no device name; an example of one is /job:ps/task:0/device:CPU:0",
  noSuchTask: '{node} is pinned to {device}, but the cluster has no such task; pin it elsewhere or add the task',
  unknownOp: "{node}: nobody knows an op '{op}'; choose one from the palette",
  badAttr: "{node}: attr '{attr}': {reason}",
  missingAttr: "{node} needs a value for attr '{attr}'",
  badValue: '{node}: {reason}',
  noShape: '{node} needs a shape for its initializer to fill',
  missingInput: "{node} needs something connected to '{slot}'",
  unknownNode: "{node}: '{input}' is connected to '{slot}', but there is no such node; connect another one",
  noOutput: "{node}: '{input}' is connected to '{slot}', but {source} has {outputs} {outputs|output|outputs}",
  noTensor: '{source} gives no tensor; it can only be a node that runs before {node}',
  unknownBefore: "{node} runs after '{input}', but there is no such node",
  sameType: '{node} needs inputs of one dtype: {list}',
  wrongType: "{node} takes {wanted} as '{slot}', but {input} is {given}",
  notAllowed: '{node} cannot work with {given}, which {input} is; {op} takes {allowed}',
  wantsVariable: "{node} changes a variable, so '{slot}' must be a variable, which {input} is not",
  onlyVariables: '{node} trains variables, which {input} is not',
  noVariables: '{node} has no variables to train; add a variable',
  lossOrGradients: '{node} needs either a loss or gradients',
  gradientsByVariable: '{node} needs one gradient for each of its variables, in their order: {gradients} gradients, {variables} variables',
  shapes: 'shapes {shapes} do not fit together in {node} ({op}): {reason}',
  loop: '{list} need each other in a circle; take one of the connections away',
  wouldLoop: '{node} already leads to {input}: the connection would close a circle',
  nothingToRun: 'a step has nothing to do; choose what it fetches or runs in the settings of the document',
  unknownFetch: "the document's settings name '{input}', but there is no such node",
  unfed: '{node} has no value; give it one, or nothing that needs it can run',
} as const;

export type ProblemCode = keyof typeof problemTexts;

/** Two problems that say the same. */
export function isSameProblem(a: Problem, b: Problem): boolean {
  if (a.code !== b.code || a.node !== b.node) return false;
  return Object.keys(a.values).every((key) => a.values[key] === b.values[key]);
}

export function problem(code: ProblemCode, node: string, values: Problem['values'] = {}): Problem {
  return { code, node, values: { node, ...values } };
}

/** One line in English. */
export function problemText({ code, values }: Problem): string {
  return problemTexts[code].replace(/\{(\w+)(?:\|([^}|]*)\|([^}]*))?\}/g, (_whole, name: string, one?: string, other?: string) => {
    if (one !== undefined && other !== undefined) return values[name] === 1 ? one : other;
    return String(values[name] ?? '');
  });
}
