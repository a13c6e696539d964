import type { AuthHandlerMiddleware } from 'ssh2';
import { permissionDenied, type StatusError } from '#proto/wire/status.ts';
import type { LoginAttempt, LoginAttempts } from './login-attempts.ts';
import type { SshSettings } from './ssh-settings.ts';

/**
 * Goes through the ways to be let in, each once. A server hangs up after a few tries; what is left is tried on the next connection, so
 * one of these serves all connections of a login.
 */
export class Authenticator {
  readonly #settings: SshSettings;
  readonly #notes: readonly string[];
  readonly #pending: LoginAttempt[];
  readonly #tried: string[] = [];
  #offered: readonly string[] = [];

  constructor(settings: SshSettings, { attempts, notes }: LoginAttempts) {
    this.#settings = settings;
    this.#notes = notes;
    this.#pending = [...attempts];
  }

  get hasMore(): boolean {
    return this.#pending.length > 0;
  }

  /** For one connection. `onExhausted` is called when nothing is left that the server would take. */
  handler(onExhausted: () => void): AuthHandlerMiddleware {
    return (offered: readonly string[] | null, _isPartial, next) => {
      // The answer to the first request says what is possible.
      if (!offered) return next({ type: 'none', username: this.#settings.user });
      this.#offered = offered;
      const at = this.#pending.findIndex(({ method }) => offered.includes(method));
      const [attempt] = at < 0 ? [] : this.#pending.splice(at, 1);
      if (!attempt) return onExhausted();
      this.#tried.push(attempt.label);
      next(attempt.auth);
    };
  }

  /** Says what was tried and what would be possible. */
  refusal(): StatusError {
    const { name, user } = this.#settings;
    const tried = this.#tried.length === 0 ? 'nothing to show was found' : `tried: ${this.#tried.join(', ')}`;
    const offered = this.#offered.length === 0 ? '' : `; the server takes: ${this.#offered.join(', ')}`;
    const notes = this.#notes.map((note) => `. ${note}`).join('');
    return permissionDenied(`${name} does not let '${user}' in (${tried}${offered}). Check user name and password or key${notes}`);
  }
}
