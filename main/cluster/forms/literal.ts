import { invalidArgument, type StatusError } from '#proto/wire/status.ts';

/** A value as Python and JSON both write it. Keys are texts; a number as a key becomes one. */
export type Literal = string | number | readonly Literal[] | { readonly [key: string]: Literal };

const TOKEN = /(?:\s|#[^\n]*)*(?:([{}[\](),:])|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|(-?\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(\S))/suy;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
const MAX_DEPTH = 20;

type Token = { readonly kind: 'mark' | 'text' | 'number' | 'word' | 'end'; readonly value: string; readonly at: number };

/**
 * Reads the dict, list, text or number that begins at `from`: JSON, or a literal of Python (either quote, comments, trailing
 * commas, tuples, numbers as keys). What follows it does not matter. Throws INVALID_ARGUMENT with the line.
 */
export function parseLiteral(source: string, from: number): Literal {
  return new LiteralParser(source, from).value(0);
}

class LiteralParser {
  readonly #source: string;
  #at: number;

  constructor(source: string, from: number) {
    this.#source = source;
    this.#at = from;
  }

  value(depth: number): Literal {
    const token = this.#next();
    if (depth > MAX_DEPTH) throw this.#error('is nested too deeply', token);
    if (token.kind === 'text') return token.value;
    if (token.kind === 'number') return Number(token.value);
    if (token.value === '{') return this.#dict(depth + 1);
    if (token.value === '[') return this.#sequence(']', depth + 1);
    if (token.value === '(') return this.#sequence(')', depth + 1);
    throw this.#error('is no text, number, list or dict', token);
  }

  #dict(depth: number): Literal {
    const entries: [string, Literal][] = [];
    while (!this.#takes('}')) {
      const key = this.#next();
      if (key.kind !== 'text' && key.kind !== 'number') throw this.#error('cannot be a key', key);
      this.#expect(':');
      entries.push([key.value, this.value(depth)]);
      if (!this.#takes(',')) {
        this.#expect('}');
        break;
      }
    }
    return Object.fromEntries(entries);
  }

  #sequence(end: string, depth: number): Literal {
    const elements: Literal[] = [];
    while (!this.#takes(end)) {
      elements.push(this.value(depth));
      if (!this.#takes(',')) {
        this.#expect(end);
        break;
      }
    }
    return elements;
  }

  #takes(mark: string): boolean {
    const before = this.#at;
    const token = this.#next();
    if (token.kind === 'mark' && token.value === mark) return true;
    this.#at = before;
    return false;
  }

  #expect(mark: string): void {
    const token = this.#next();
    if (token.kind !== 'mark' || token.value !== mark) throw this.#error(`stands where '${mark}' is expected`, token);
  }

  #next(): Token {
    TOKEN.lastIndex = this.#at;
    const match = TOKEN.exec(this.#source);
    if (!match) return { kind: 'end', value: '', at: this.#source.length };
    this.#at = TOKEN.lastIndex;
    const at = this.#at - 1;
    const [, mark, double, single, digits, word, other] = match;
    const quoted = double ?? single;
    if (mark !== undefined) return { kind: 'mark', value: mark, at };
    if (quoted !== undefined) return { kind: 'text', value: unescaped(quoted), at };
    if (digits !== undefined) return { kind: 'number', value: digits, at };
    return { kind: 'word', value: word ?? other ?? '', at };
  }

  #error(problem: string, { kind, value, at }: Token): StatusError {
    const line = this.#source.slice(0, at).split('\n').length;
    return invalidArgument(`Line ${line}: ${kind === 'end' ? 'the text ends too early' : `'${value}' ${problem}`}`);
  }
}

function unescaped(quoted: string): string {
  return quoted.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code: string | undefined, char: string) =>
    code === undefined ? (ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
