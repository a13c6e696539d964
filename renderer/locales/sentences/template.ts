/** A sentence with holes, as `'{0}' has no output {1}`, ready to be compared with texts. */
export interface Template {
  /** What stands before, between and after the holes. */
  readonly literals: readonly string[];
  /** Names of the holes, in the order of the text. */
  readonly holes: readonly string[];
}

/** `{name}`, or as catalogues write the forms of a plural `{name|one|other}`. */
const hole = /\{(\w+)(?:\|[^{}]*)?\}/;

export function parseTemplate(text: string): Template {
  const parts = text.split(hole);
  return { literals: parts.filter((_, i) => i % 2 === 0), holes: parts.filter((_, i) => i % 2 === 1) };
}

/** What the holes of a template hold in a text; undefined when the text is not made by it. Takes time linear in the text. */
export function matchTemplate({ literals, holes }: Template, text: string): ReadonlyMap<string, string> | undefined {
  const [first = '', ...others] = literals;
  const last = others.pop();
  if (last === undefined) return text === first ? new Map() : undefined;
  const end = text.length - last.length;
  if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return undefined;
  const values: string[] = [];
  let from = first.length;
  for (const literal of others) {
    const to = text.indexOf(literal, from);
    if (to < 0 || to + literal.length > end) return undefined;
    values.push(text.slice(from, to));
    from = to + literal.length;
  }
  values.push(text.slice(from, end));
  // Where a name comes twice the first one counts: the second may only be the form of a plural.
  return new Map(holes.map((name, i): [string, string] => [name, values[i] ?? '']).reverse());
}

/** The text that a template makes of the values; a hole without one is empty. */
export function fillTemplate({ literals, holes }: Template, values: ReadonlyMap<string, string>): string {
  return literals.reduce((text, literal, i) => joinSpaced(joinSpaced(text, values.get(holes[i - 1] ?? '') ?? ''), literal));
}

/** Two texts, with a space between Chinese and Latin letters or digits, and none between Chinese and Chinese. */
function joinSpaced(before: string, after: string): string {
  if (/\p{Script=Han} ?$/u.test(before) && /^ ?\p{Script=Han}/u.test(after)) return before.trimEnd() + after.trimStart();
  const meet = (/\p{Script=Han}$/u.test(before) && /^\w/.test(after)) || (/\w$/.test(before) && /^\p{Script=Han}/u.test(after));
  return meet ? `${before} ${after}` : before + after;
}

/** Words of its own that a template has. */
export function wordCount({ literals }: Template): number {
  return literals.join(' ').match(/[a-z']{2,}/gi)?.length ?? 0;
}
