import type { OpDef } from './op-def.ts';
import { parseOp } from './op-json.ts';
import { opLines } from './ops-data.ts';

export { graphProducer, tensorflowVersion } from './ops-data.ts';

// A memo, not state: both maps only hold what `opLines` says, split and parsed when first asked for.
let texts: ReadonlyMap<string, string> | undefined;
const parsed = new Map<string, OpDef>();

/** The definition of a built-in op; undefined for unknown names, among them the functions of a graph's library. */
export function opDef(name: string): OpDef | undefined {
  const known = parsed.get(name);
  if (known) return known;
  const text = opTexts().get(name);
  if (text === undefined) return undefined;
  const def = parseOp(name, text);
  parsed.set(name, def);
  return def;
}

/** Names of all built-in ops, sorted. */
export function opNames(): string[] {
  return [...opTexts().keys()];
}

function opTexts(): ReadonlyMap<string, string> {
  texts ??= new Map(opLines.split('\n').map((line) => splitAt(line, line.indexOf(' '))));
  return texts;
}

function splitAt(line: string, index: number): [string, string] {
  return [line.slice(0, index), line.slice(index + 1)];
}
