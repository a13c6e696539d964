import type { GraphView } from '#proto/ipc/contract.ts';

/** What of a graph can be chosen for a run. */
export interface GraphChoices {
  readonly variables: readonly string[];
  /** Tensors that want a value, with their types such as `float[2,?]`. */
  readonly placeholders: readonly { readonly tensor: string; readonly op: string; readonly type: string }[];
  /** Outputs of nodes: `a` for the first, `a:1` for the second. */
  readonly tensors: readonly string[];
  readonly nodes: readonly string[];
}

const VARIABLES = new Set(['Variable', 'VariableV2', 'VarHandleOp']);
const PLACEHOLDERS = new Set(['Placeholder', 'PlaceholderV2', 'PlaceholderWithDefault']);

export function graphChoices({ names, ops, outputs }: Pick<GraphView, 'names' | 'ops' | 'outputs'>): GraphChoices {
  const having = (wanted: ReadonlySet<string>) => names.filter((_name, at) => wanted.has(ops[at] ?? ''));
  return {
    variables: having(VARIABLES),
    placeholders: names.flatMap((tensor, at) => {
      const op = ops[at] ?? '';
      return PLACEHOLDERS.has(op) ? [{ tensor, op, type: outputs[at]?.[0] ?? '' }] : [];
    }),
    tensors: names.flatMap((name, at) => (outputs[at] ?? []).map((_type, output) => (output === 0 ? name : `${name}:${output}`))),
    nodes: names,
  };
}

/** Nodes that initialize all variables are named so by convention: the best first choice. */
export function initializersOf({ names, ops }: Pick<GraphView, 'names' | 'ops'>): readonly string[] {
  return names.filter((name, at) => ops[at] === 'NoOp' && /(^|\/)init(_\d+)?$/.test(name));
}

/** `w`, `w:1` or `w[3]`, `w[0,2]`: the name of a node with what of it is meant. Undefined: it is none of these. */
export function parseWatch(text: string): { readonly node: string } | undefined {
  const match = /^([A-Za-z0-9.][\w./>-]*)(?::\d+)?(?:\[\s*\d+(?:\s*,\s*\d+)*\s*\])?$/.exec(text.trim());
  return match?.[1] === undefined ? undefined : { node: match[1] };
}
