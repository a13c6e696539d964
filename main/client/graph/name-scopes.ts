import { invalidArgument } from '#proto/wire/status.ts';
import { isValidNodeName } from '#proto/wire/tensor-name.ts';

/** Names of nodes and scopes in one graph, unique the TensorFlow way: `x`, `x_1`, `x_2`, whatever the case of the letters. */
export class NameScopes {
  /** Current scope, `''` or ending in `/`. */
  #scope = '';
  /** How often a lower-case name was asked for. */
  readonly #used = new Map<string, number>();

  get scope(): string {
    return this.#scope;
  }

  /** Runs `body` in a scope; `scope` is what nodes are prefixed with, without the trailing `/`. */
  within<T>(scope: string, body: () => T): T {
    const outer = this.#scope;
    this.#scope = scope === '' ? '' : `${scope}/`;
    try {
      return body();
    } finally {
      this.#scope = outer;
    }
  }

  /** A full name, reserved from now on. `name` must be legal; one that ends in `/` is taken as it is, without the scope. */
  unique(name: string): string {
    if (name.endsWith('/')) return name.slice(0, -1);
    const full = this.#scope + name;
    if (!isValidNodeName(full)) throw invalidArgument(`'${full}' is not a valid node name`);
    return this.#reserve(full);
  }

  /** Marks a name from elsewhere (an imported node) as taken. */
  reserve(full: string): void {
    this.#reserve(full);
  }

  #reserve(full: string): string {
    const key = full.toLowerCase();
    let count = this.#used.get(key) ?? 0;
    this.#used.set(key, count + 1);
    if (count === 0) return full;
    while (this.#used.has(`${key}_${count}`)) count++;
    this.#used.set(key, count + 1);
    this.#used.set(`${key}_${count}`, 1);
    return `${full}_${count}`;
  }
}
