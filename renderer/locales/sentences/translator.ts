import { fillTemplate, matchTemplate, parseTemplate, type Template, wordCount } from './template.ts';

interface Sentence {
  readonly english: Template;
  readonly translated: Template;
  /** Says so little that any text may look like it: `{0} and {1}`. */
  readonly isWeak: boolean;
}

interface Match {
  readonly sentence: Sentence;
  readonly values: ReadonlyMap<string, string>;
}

/** Causes within causes are translated as deep as this. */
const MAX_DEPTH = 12;
const WEAK_WORDS = 2;
/** No name is longer, and so no text around names that says little itself. */
const MAX_WEAK_LENGTH = 200;
/** What is shown is shown again and again; longer texts than this are not. */
const MAX_CACHED_LENGTH = 1000;
const MAX_CACHED = 1000;

/** Translates what the core says, by a table of English templates and what they are in another language. */
export class Translator {
  readonly #exact: ReadonlyMap<string, string>;
  /** Those with holes; the more of its own a sentence says, the earlier it is tried. */
  readonly #open: readonly Sentence[];
  readonly #cache = new Map<string, string>();

  constructor(table: ReadonlyMap<string, string>) {
    this.#exact = table;
    this.#open = [...table]
      .map(([english, translated]) => ({ english: parseTemplate(english), translated: parseTemplate(translated) }))
      .filter(({ english }) => english.holes.length > 0 && wordCount(english) > 0)
      .map((sentence): Sentence => ({ ...sentence, isWeak: wordCount(sentence.english) <= WEAK_WORDS }))
      .sort((a, b) => lengthOf(b.english) - lengthOf(a.english));
  }

  /** The text with all sentences that the table has in the other language, also those that are part of another one. */
  translate(text: string): string {
    return this.#translate(text, MAX_DEPTH);
  }

  #translate(text: string, depth: number): string {
    const exact = this.#exact.get(text) ?? this.#cache.get(text);
    if (exact !== undefined || depth === 0 || !text.includes(' ')) return exact ?? text;
    const translated = this.#whole(text, depth - 1) ?? this.#parts(text, depth - 1);
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    if (text.length <= MAX_CACHED_LENGTH) this.#cache.set(text, translated);
    return translated;
  }

  #whole(text: string, depth: number): string | undefined {
    for (const { sentence, values } of this.#matches(text)) {
      const filled = new Map([...values].map(([name, value]) => [name, this.#translate(value, depth)]));
      if (sentence.isWeak && [...values].some(([name, value]) => isProse(value) && filled.get(name) === value)) continue;
      return fillTemplate(sentence.translated, filled);
    }
    return undefined;
  }

  /** The sentences that a text may be, the likely ones first. */
  #matches(text: string): readonly Match[] {
    const hasLines = text.includes('\n');
    const matches = this.#open.flatMap((sentence) => {
      // A hole at the start would take the lines before the sentence.
      if ((hasLines && sentence.english.literals[0] === '') || (sentence.isWeak && text.length > MAX_WEAK_LENGTH)) return [];
      const values = matchTemplate(sentence.english, text);
      return values ? [{ sentence, values }] : [];
    });
    return [...matches.filter((match) => !endsInClause(match)), ...matches.filter(endsInClause)];
  }

  #parts(text: string, depth: number): string {
    if (text.includes('\n')) return this.#lines(text, depth);
    return this.#sentences(text, depth) ?? this.#aroundColon(text, depth);
  }

  #lines(text: string, depth: number): string {
    return text
      .split('\n')
      .map((line) => this.#translate(line, depth))
      .join('\n');
  }

  /** Several sentences, one after another. */
  #sentences(text: string, depth: number): string | undefined {
    const parts = text.split(/(?<=[.!?]) /);
    if (parts.length === 1) return undefined;
    const translated = parts.map((part) => this.#withFullStop(part, depth));
    if (translated.every((part, i) => part === parts[i])) return undefined;
    return translated.reduce((before, part) => (before.endsWith('。') ? before + part : `${before} ${part}`));
  }

  #withFullStop(part: string, depth: number): string {
    const bare = part.replace(/\.$/, '');
    const translated = this.#translate(part, depth);
    if (translated !== part || bare === part) return translated;
    const translatedBare = this.#translate(bare, depth);
    return translatedBare === bare ? part : `${translatedBare}。`;
  }

  /** What happened, and why: `…/run.json cannot be written: access is denied`; also a code and a sentence. */
  #aroundColon(text: string, depth: number): string {
    const colon = text.indexOf(': ');
    if (colon < 0) return text;
    const [what, why] = [text.slice(0, colon), text.slice(colon + 2)];
    const translated = this.#translate(what, depth);
    return translated + (translated === what ? ': ' : '：') + this.#translate(why, depth);
  }
}

/** `pc1 has ended` is seldom what stands behind `The agent of`. */
function endsInClause({ sentence: { english }, values }: Match): boolean {
  const { literals, holes } = english;
  return / (of|at|on) $/.test(literals.at(-2) ?? '') && literals.at(-1) === '' && isProse(values.get(holes.at(-1) ?? '') ?? '');
}

/** Two words one after another, as in no name or number. */
function isProse(text: string): boolean {
  return /[a-z]+ [a-z]+/i.test(text);
}

function lengthOf({ literals }: Template): number {
  return literals.reduce((length, literal) => length + literal.length, 0);
}
