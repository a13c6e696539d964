import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { CertificateRequestSchema, type Trust, TrustSchema } from '#proto/generated/lanflow/agent_pb.ts';
import { PAIRING_LIMIT_MS, PairingServer, type PairingStart } from '#proto/trust/pairing/pairing-server.ts';
import { makePin, type PairingEffort } from '#proto/trust/pairing/pin.ts';
import type { Sealed } from '#proto/trust/pairing/sealed.ts';
import { notFound } from '#proto/wire/status.ts';
import type { MachineTrust } from '../trust/machine-trust.ts';

export interface PairingDeskEnv {
  /** Id of this machine. */
  readonly machine: string;
  readonly trust: Pick<MachineTrust, 'requestCertificate' | 'accept'>;
  /** One line for whoever shows the PIN. */
  readonly log: (line: string) => void;
  readonly effort?: PairingEffort;
  /** Milliseconds of a clock that does not jump. */
  readonly now?: () => number;
}

/** Who has proved to know a PIN, and has not brought yet what it was for. */
interface Proved {
  readonly attempt: string;
  readonly sealed: Sealed;
  readonly until: number;
}

/** Shows PINs, one at a time, and gives the machine to the lab of whoever knows the one that is shown. */
export class PairingDesk {
  readonly #env: PairingDeskEnv;
  #server: PairingServer | undefined;
  #proved: Proved | undefined;

  constructor(env: PairingDeskEnv) {
    this.#env = env;
  }

  get isPairing(): boolean {
    return this.#server?.isOpen ?? false;
  }

  /** A new PIN, in place of an earlier one; resolves when it can be used. */
  async open(): Promise<{ readonly pin: string; readonly goodFor: number }> {
    const { machine, effort, now } = this.#env;
    const pin = makePin();
    this.#server = await PairingServer.create({ pin, name: machine, ...(effort && { effort }), ...(now && { now }) });
    return { pin, goodFor: PAIRING_LIMIT_MS };
  }

  start(request: string): PairingStart {
    const server = this.#openServer();
    const started = server.start(request);
    if (server.triesLeft === 0) this.#env.log('that was the last try for this PIN: if it was wrong too, show a new one to go on');
    return started;
  }

  /** Resolves to the sealed request for a certificate. */
  async finish(attempt: string, request: string): Promise<Uint8Array> {
    const sealed = this.#openServer().finish(attempt, request);
    const asked = create(CertificateRequestSchema, await this.#env.trust.requestCertificate());
    const answer = sealed.seal(toBinary(CertificateRequestSchema, asked));
    this.#proved = { attempt, sealed, until: this.#now() + PAIRING_LIMIT_MS };
    return answer;
  }

  /** What was brought may be refused; until it is right, or the time is over, other tries are welcome. */
  async complete(attempt: string, message: Uint8Array): Promise<void> {
    const proved = this.#proved;
    if (proved?.attempt !== attempt || this.#now() > proved.until) throw notFound('This attempt to pair is over, or there never was one');
    const trust: Trust = fromBinary(TrustSchema, proved.sealed.open(message));
    await this.#env.trust.accept(trust, 'owner');
    if (this.#proved === proved) this.#proved = undefined;
  }

  #openServer(): PairingServer {
    if (this.#server) return this.#server;
    throw notFound('This machine shows no PIN: "lanflow agent --pin" there shows one');
  }

  #now(): number {
    return this.#env.now?.() ?? performance.now();
  }
}
