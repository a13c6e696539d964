import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const SECRET_BYTES = 32;

/**
 * Who may use the server: only pages that it served itself, in the browser that was opened with the token. Other programs of
 * this machine's users lack the secrets; pages of other sites, also under a name that they point at 127.0.0.1, fail at Host or
 * Origin.
 */
export class Access {
  /** Opens one session; worth nothing afterwards. */
  readonly token = newSecret();
  readonly #session = newSecret();
  readonly #hosts: readonly string[];
  readonly #cookie: string;
  #isTokenUsed = false;

  constructor(port: number) {
    this.#hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
    // Cookies do not tell ports apart, and there may be several servers.
    this.#cookie = `lanflow-${port}`;
  }

  isOwnHost({ host }: IncomingHttpHeaders): boolean {
    return this.#hosts.includes(host ?? '');
  }

  /** Browsers name the origin of a page wherever it matters; what is no browser need not. */
  isOwnOrigin({ origin, host }: IncomingHttpHeaders): boolean {
    return origin === `http://${host}`;
  }

  hasSession({ cookie = '' }: IncomingHttpHeaders): boolean {
    const cookies = cookie.split(';').map((each) => each.trim().split('='));
    return cookies.some(([name, value = '']) => name === this.#cookie && isSame(value, this.#session));
  }

  /** The cookie of a new session; undefined when the token is wrong or used. */
  openSession(token: string): string | undefined {
    if (this.#isTokenUsed || !isSame(token, this.token)) return undefined;
    this.#isTokenUsed = true;
    return `${this.#cookie}=${this.#session}; HttpOnly; SameSite=Strict; Path=/`;
  }
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** Takes as long for any text. */
function isSame(given: string, secret: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(secret));
}
