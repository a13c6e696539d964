import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ClientChannel, SFTPWrapper } from 'ssh2';
import type { SshLogin, SshTarget } from '#proto/ipc/contract/machines.ts';
import { failedPrecondition, unavailable } from '#proto/wire/status.ts';
import { Authenticator } from './authenticator.ts';
import { Dropped, HostKeyNotKnown } from './connect-errors.ts';
import { dial } from './dial.ts';
import { HostKeyCheck } from './host-key-check.ts';
import { loginAttempts } from './login-attempts.ts';
import type { SshEnv } from './ssh-env.ts';
import { resolveSettings, type SshSettings } from './ssh-settings.ts';

/** A server drops a third of the logins at least that come while ten are under way, so it takes a few tries. */
const MAX_DROPS = 10;
const DROP_WAIT_MS = 300;
const MAX_JUMPS = 8;
const CLOSE_MS = 1000;

export interface OpenOptions {
  readonly env: SshEnv;
  readonly signal: AbortSignal;
}

interface Way {
  readonly depth: number;
  /** In place of the jump hosts of the configuration. */
  readonly via?: SshConnection | undefined;
}

/** A login on a machine. Whoever opens it closes it. */
export class SshConnection {
  readonly name: string;
  readonly user: string;
  readonly #client: Client;
  readonly #via: SshConnection | undefined;
  #isLost = false;

  private constructor(client: Client, { name, user }: SshSettings, via: SshConnection | undefined) {
    this.#client = client;
    this.name = name;
    this.user = user;
    this.#via = via;
    // What waits for an answer is told by the end of its channel.
    client.on('error', () => undefined);
    client.once('close', () => {
      this.#isLost = true;
    });
  }

  /**
   * Logs in as `~/.ssh/config` and the login say, through jump hosts where the configuration names some; these are never shown the
   * password, which is for the machine behind them. Rejects with the way out: PERMISSION_DENIED when it is not let in or the user does
   * not trust the host's key, FAILED_PRECONDITION when that key has changed, UNAVAILABLE when nobody answers, and with the signal's
   * reason.
   */
  static open(target: SshTarget, login: SshLogin, options: OpenOptions): Promise<SshConnection> {
    return SshConnection.#open(target, login, { ...options, depth: 0 });
  }

  static async #open(target: SshTarget, login: SshLogin, options: OpenOptions & Way): Promise<SshConnection> {
    const settings = await resolveSettings(target, login, options.env);
    if (options.depth > MAX_JUMPS) throw failedPrecondition(`~/.ssh/config: the jump hosts of ${settings.name} lead in a circle`);
    const via = options.via ?? (await SshConnection.#openJumps(settings, login, { ...options, depth: options.depth + 1 }));
    try {
      return new SshConnection(await logIn(settings, login, { ...options, through: via && (() => via.#forward(settings)) }), settings, via);
    } catch (error) {
      via?.close();
      throw error;
    }
  }

  /** The last of the hosts between; each is reached through the one before. */
  static async #openJumps(
    { jumps }: SshSettings,
    { keyFile, passphrase }: SshLogin,
    options: OpenOptions & Way,
  ): Promise<SshConnection | undefined> {
    let via: SshConnection | undefined;
    for (const { user, ...jump } of jumps)
      via = await SshConnection.#open(jump, { user, password: '', keyFile, passphrase }, { ...options, via });
    return via;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Starts a command of the user's login shell there. */
  exec(command: string): Promise<ClientChannel> {
    return new Promise((resolve, reject) => {
      this.#client.exec(command, (error, channel) => (error ? reject(this.lost(error)) : resolve(channel)));
    });
  }

  /** For files; whoever opens it ends it. FAILED_PRECONDITION when the server has none. */
  openSftp(): Promise<SFTPWrapper> {
    return new Promise((resolve, reject) => {
      this.#client.sftp((error, sftp) => (error ? reject(this.#isLost ? this.lost(error) : noSftp(this.name, error)) : resolve(sftp)));
    });
  }

  /** That it broke off. */
  lost(cause?: unknown): Error {
    return unavailable(`The SSH connection to ${this.name} broke off; try again`, { cause });
  }

  close(): void {
    this.#client.end();
    // A machine that is gone does not take leave.
    setTimeout(() => this.#client.destroy(), CLOSE_MS).unref();
    this.#via?.close();
  }

  #forward({ host, port }: SshSettings): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      this.#client.forwardOut('127.0.0.1', 0, host, port, (error, channel) =>
        error
          ? reject(unavailable(`${this.name} does not reach ${host}, port ${port}: ${error.message}`, { cause: error }))
          : resolve(channel),
      );
    });
  }
}

async function logIn(
  settings: SshSettings,
  login: SshLogin,
  { env, signal, through }: OpenOptions & { through?: (() => Promise<Duplex>) | undefined },
): Promise<Client> {
  const authenticator = new Authenticator(settings, await loginAttempts(settings, login, env.home));
  const check = await HostKeyCheck.load(settings);
  for (let drops = 0; ; ) {
    try {
      return await dial({ settings, check, authenticator, via: await through?.(), signal });
    } catch (error) {
      if (error instanceof HostKeyNotKnown) await check.settle(error.key, (question) => answered(env.askHostKey(question), signal));
      else if (!(error instanceof Dropped)) throw error;
      else if (!error.isAuthenticating && ++drops > MAX_DROPS) throw tooBusy(settings, error);
      else await delay(Math.random() * DROP_WAIT_MS * (drops + 1), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

function tooBusy({ name }: SshSettings, cause: Error): Error {
  return unavailable(
    `${name} hangs up before it lets anybody in: its SSH server is overloaded (MaxStartups), or refuses this machine. Try again later`,
    { cause },
  );
}

function noSftp(name: string, cause: Error): Error {
  return failedPrecondition(`The SSH server of ${name} offers no SFTP, by which Lanflow brings its files there: ${cause.message}`, {
    cause,
  });
}

/** The user may take as long as it likes. */
async function answered(answer: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  const done = new AbortController();
  try {
    return await Promise.race([answer, once(signal, 'abort', { signal: done.signal }).then(() => Promise.reject(signal.reason))]);
  } finally {
    done.abort();
  }
}
