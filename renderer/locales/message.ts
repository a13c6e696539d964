export type MessageArguments = Readonly<Record<string, string | number>>;

export interface MessageStyle {
  readonly plural: Intl.PluralRules;
  readonly number: Intl.NumberFormat;
}

const slot = /\{(\w+)(?:\|([^}|]*)\|([^}]*))?\}/g;

/** A text of a catalogue with its slots filled: `{name}` by that argument, `{count|one|other}` by the form that the number wants. */
export function fillMessage(text: string, values: MessageArguments, style: MessageStyle): string {
  return text.replace(slot, (_whole, name: string, one: string | undefined, other: string | undefined) => {
    const value = values[name] ?? '';
    if (one !== undefined && other !== undefined) return style.plural.select(Number(value)) === 'one' ? one : other;
    return typeof value === 'number' ? style.number.format(value) : value;
  });
}

const accents: Readonly<Record<string, string>> = {
  a: 'á',
  c: 'ç',
  e: 'é',
  i: 'í',
  n: 'ñ',
  o: 'ö',
  s: 'š',
  u: 'ü',
  y: 'ý',
  A: 'Å',
  C: 'Ç',
  E: 'É',
  I: 'Î',
  N: 'Ñ',
  O: 'Ø',
  S: 'Š',
  U: 'Û',
  Y: 'Ý',
};

/** The text as no language has it, a third longer and in brackets: what stays plain is hard-coded, what loses a bracket is clipped. */
export function pseudoMessage(text: string): string {
  const accented = text.replace(/\{[^}]*\}|[a-zA-Z]/g, (part) => accents[part] ?? part);
  return `⟦${accented}${'·'.repeat(Math.ceil(text.length / 3))}⟧`;
}
