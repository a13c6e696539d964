/** An input of a node as GraphDef writes it: `w`, `w:1` (output 1) or `^w` (control edge, no value). */
export interface InputName {
  readonly node: string;
  /** Output number; -1 for a control edge. */
  readonly output: number;
}

export const CONTROL = -1;

export function parseInputName(text: string): InputName {
  if (text.startsWith('^')) return { node: text.slice(1), output: CONTROL };
  const colon = text.lastIndexOf(':');
  if (colon < 0) return { node: text, output: 0 };
  const output = text.slice(colon + 1);
  return /^\d+$/.test(output) ? { node: text.slice(0, colon), output: Number(output) } : { node: text, output: 0 };
}

/** The short form that graphs use: output 0 has no suffix. */
export function formatInputName({ node, output }: InputName): string {
  if (output === CONTROL) return `^${node}`;
  return output === 0 ? node : `${node}:${output}`;
}

/** The long form that feeds and fetches use on the wire: always with the output number. */
export function endpointName(node: string, output: number): string {
  return `${node}:${output}`;
}

/** Names that a client may give to a node; internal ones (`_recv_x_0`) start with an underscore. */
export function isValidNodeName(name: string): boolean {
  return /^[A-Za-z0-9.][A-Za-z0-9_.\-/]*(>[A-Za-z0-9.][A-Za-z0-9_.\-/]*)*$/.test(name);
}
