import { invalidArgument, type StatusError } from '#proto/wire/status.ts';

/** A piece of protobuf text: a name, a number, a quoted string (still escaped) or a punctuation mark. */
export interface Token {
  readonly kind: 'word' | 'string' | 'mark' | 'end';
  readonly text: string;
  readonly offset: number;
}

const pattern =
  /\s+|#[^\n]*|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<word>[A-Za-z0-9_.+]+(?:-[0-9]+)?)|(?<mark>[{}<>[\]:;,/-])/gsy;

/** Reads protobuf text piece by piece, one piece ahead. */
export class Lexer {
  readonly #source: string;
  #offset = 0;
  #next: Token;

  constructor(source: string) {
    this.#source = source;
    this.#next = this.#scan();
  }

  get next(): Token {
    return this.#next;
  }

  take(): Token {
    const token = this.#next;
    this.#next = this.#scan();
    return token;
  }

  /** Takes the next piece if it is this mark. */
  accept(mark: string): boolean {
    if (this.#next.kind !== 'mark' || this.#next.text !== mark) return false;
    this.take();
    return true;
  }

  expect(mark: string): void {
    if (!this.accept(mark)) throw this.error(`expected '${mark}'`);
  }

  /** INVALID_ARGUMENT that names line and column of a piece, the next one by default. */
  error(what: string, at: Token = this.#next): StatusError {
    const before = this.#source.slice(0, at.offset).split('\n');
    const found = at.kind === 'end' ? 'the end' : `'${at.text}'`;
    return invalidArgument(`Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${what}, found ${found}`);
  }

  #scan(): Token {
    while (this.#offset < this.#source.length) {
      pattern.lastIndex = this.#offset;
      const match = pattern.exec(this.#source);
      const offset = this.#offset;
      if (!match) throw this.error('unexpected character', { kind: 'mark', text: this.#source[offset] ?? '', offset });
      this.#offset += match[0].length;
      const { string, word, mark } = match.groups ?? {};
      if (string !== undefined) return { kind: 'string', text: string.slice(1, -1), offset };
      if (word !== undefined) return { kind: 'word', text: word, offset };
      if (mark !== undefined) return { kind: 'mark', text: mark, offset };
    }
    return { kind: 'end', text: '', offset: this.#source.length };
  }
}
