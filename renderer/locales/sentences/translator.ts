import { fillTemplate, matchTemplate, parseTemplate, type Template } from './template.ts';

interface Sentence {
  readonly english: Template;
  readonly translated: Template;
}

/** Causes within causes are translated as deep as this. */
const MAX_DEPTH = 12;

/** Translates what the core says, by a table of English templates and what they are in another language. */
export class Translator {
  readonly #exact: ReadonlyMap<string, string>;
  /** Those with holes; the more of its own a sentence says, the earlier it is tried. */
  readonly #open: readonly Sentence[];

  constructor(table: ReadonlyMap<string, string>) {
    const sentences = [...table].map(([english, translated]): Sentence => {
      return { english: parseTemplate(english), translated: parseTemplate(translated) };
    });
    this.#exact = table;
    this.#open = sentences.filter(({ english }) => english.holes.length > 0).sort((a, b) => lengthOf(b.english) - lengthOf(a.english));
  }

  /** The text with all sentences that the table has in the other language, also those that are part of another one. */
  translate(text: string, depth = MAX_DEPTH): string {
    const exact = this.#exact.get(text);
    if (exact !== undefined || depth === 0 || !text.includes(' ')) return exact ?? text;
    const whole = this.#whole(text, depth - 1);
    if (whole !== undefined) return whole;
    if (text.includes('\n')) return this.#lines(text, depth - 1);
    return this.#sentences(text, depth - 1) ?? this.#aroundColon(text, depth - 1);
  }

  #whole(text: string, depth: number): string | undefined {
    const hasLines = text.includes('\n');
    for (const { english, translated } of this.#open) {
      // A hole at the start would take the lines before the sentence.
      if (hasLines && english.literals[0] === '') continue;
      const values = matchTemplate(english, text);
      if (values) return fillTemplate(translated, new Map([...values].map(([name, value]) => [name, this.translate(value, depth)])));
    }
    return undefined;
  }

  #lines(text: string, depth: number): string {
    return text
      .split('\n')
      .map((line) => this.translate(line, depth))
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
    const translated = this.translate(part, depth);
    if (translated !== part || bare === part) return translated;
    const translatedBare = this.translate(bare, depth);
    return translatedBare === bare ? part : `${translatedBare}。`;
  }

  /** What happened, and why: `…/run.json cannot be written: access is denied`; also a code and a sentence. */
  #aroundColon(text: string, depth: number): string {
    const colon = text.indexOf(': ');
    if (colon < 0) return text;
    const [what, why] = [text.slice(0, colon), text.slice(colon + 2)];
    const translated = this.translate(what, depth);
    return translated + (translated === what ? ': ' : '：') + this.translate(why, depth);
  }
}

function lengthOf({ literals }: Template): number {
  return literals.reduce((length, literal) => length + literal.length, 0);
}
