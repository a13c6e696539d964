import { randomBytes } from 'node:crypto';
import { deadlineExceeded, failedPrecondition, notFound, permissionDenied, resourceExhausted } from '#proto/wire/status.ts';
import { DEFAULT_EFFORT, namesOf, normalPin, type PairingEffort, USER } from './pin.ts';
import { Sealed } from './sealed.ts';

export interface PairingOptions {
  readonly pin: string;
  /** Of the machine that shows the PIN, as the other end knows it before: an id that was announced. */
  readonly name: string;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
  readonly effort?: PairingEffort;
}

/** What goes over the transport to begin with; texts without secrets. */
export interface PairingStart {
  readonly attempt: string;
  readonly response: string;
}

export const PAIRING_TRIES = 3;
export const PAIRING_LIMIT_MS = 120_000;

/** Loaded only by those who pair: it brings its own WebAssembly. */
export async function loadOpaque() {
  const opaque = await import('@serenity-kit/opaque');
  await opaque.ready;
  return opaque;
}

type Opaque = Awaited<ReturnType<typeof loadOpaque>>;

/**
 * The end that shows a PIN, for whichever transport carries a request and its answer. Who listens to all of it learns nothing about
 * the PIN, and each guess is a try: after `PAIRING_TRIES`, after `PAIRING_LIMIT_MS`, and once it has served, the PIN is of no more use.
 */
export class PairingServer {
  readonly #opaque: Opaque;
  readonly #setup: string;
  readonly #record: string;
  readonly #options: PairingOptions;
  readonly #begun: number;
  /** Login state of each guess that is under way. */
  readonly #attempts = new Map<string, string>();
  #tries = 0;
  #isUsed = false;

  private constructor(opaque: Opaque, options: PairingOptions, { setup, record }: { setup: string; record: string }) {
    this.#opaque = opaque;
    this.#options = options;
    this.#setup = setup;
    this.#record = record;
    this.#begun = this.#now();
  }

  /** Does the work of one guess; the time of the PIN begins when it resolves. */
  static async create(options: PairingOptions): Promise<PairingServer> {
    const opaque = await loadOpaque();
    const setup = opaque.server.createSetup();
    const password = normalPin(options.pin);
    const { clientRegistrationState, registrationRequest } = opaque.client.startRegistration({ password });
    const { registrationResponse } = opaque.server.createRegistrationResponse({
      serverSetup: setup,
      userIdentifier: USER,
      registrationRequest,
    });
    const { registrationRecord } = opaque.client.finishRegistration({
      password,
      registrationResponse,
      clientRegistrationState,
      identifiers: namesOf(options.name),
      keyStretching: { 'argon2id-custom': options.effort ?? DEFAULT_EFFORT },
    });
    return new PairingServer(opaque, options, { setup, record: registrationRecord });
  }

  /** Guesses that are left. */
  get triesLeft(): number {
    return PAIRING_TRIES - this.#tries;
  }

  /** Whether a guess may still be right. */
  get isOpen(): boolean {
    return !this.#isUsed && !this.#isOver && this.triesLeft > 0;
  }

  /** The first of two requests. A guess counts as a try from here on, because the answer tells who asks whether it was right. */
  start(request: string): PairingStart {
    this.#checkOpen();
    if (this.triesLeft === 0) throw resourceExhausted(`The PIN was wrong ${PAIRING_TRIES} times, and is of no more use: show a new one`);
    this.#tries++;
    const { serverLoginState, loginResponse } = this.#checked(() =>
      this.#opaque.server.startLogin({
        serverSetup: this.#setup,
        registrationRecord: this.#record,
        startLoginRequest: request,
        userIdentifier: USER,
        identifiers: namesOf(this.#options.name),
      }),
    );
    const attempt = randomBytes(16).toString('hex');
    this.#attempts.set(attempt, serverLoginState);
    return { attempt, response: loginResponse };
  }

  /** The second: proves that the other end knows the PIN. Each attempt can be finished once. */
  finish(attempt: string, request: string): Sealed {
    this.#checkOpen();
    const serverLoginState = this.#attempts.get(attempt);
    if (serverLoginState === undefined) throw notFound('This attempt to pair is over, or there never was one');
    this.#attempts.delete(attempt);
    const identifiers = namesOf(this.#options.name);
    const { sessionKey } = this.#checked(() =>
      this.#opaque.server.finishLogin({ serverLoginState, finishLoginRequest: request, identifiers }),
    );
    this.#isUsed = true;
    this.#attempts.clear();
    return new Sealed('server', sessionKey);
  }

  get #isOver(): boolean {
    return this.#now() - this.#begun > PAIRING_LIMIT_MS;
  }

  #checkOpen(): void {
    if (this.#isUsed) throw failedPrecondition('The PIN has been used; show a new one for another pairing');
    if (this.#isOver) {
      throw deadlineExceeded(`The PIN was good for ${PAIRING_LIMIT_MS / 60_000} minutes, which are over: show a new one`);
    }
  }

  /** The library throws for whatever it cannot read or verify. */
  #checked<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw permissionDenied('The other end did not prove that it knows the PIN', { cause: error });
    }
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }
}
