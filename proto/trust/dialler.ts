import type { PeerCertificate, SecureContext } from 'node:tls';
import type { Credentials, PeerExpectation } from './credentials.ts';

/** For `tls.connect`, and for the channels of grpc-js. */
export interface SecureDial {
  readonly secureContext: SecureContext;
  /** The same for all: certificates name tasks and machines, and addresses must not be sent as names. */
  readonly servername: string;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

const SERVER_NAME = 'lanflow';

/** Begins what `checkServerIdentity` finds wrong, so that it is told apart from other failures of a connection. */
export const REFUSED = 'Refused the peer: ';

/** Decides how an address is dialled. */
export class Dialler {
  readonly #credentials: Credentials | undefined;
  readonly #plaintext: ReadonlySet<string>;

  /** `plaintext`: hosts, and `host:port`, that are dialled in plain text: genuine TensorFlow servers know nothing else. */
  constructor(credentials: Credentials | undefined, plaintext: readonly string[] = []) {
    this.#credentials = credentials;
    this.#plaintext = new Set(plaintext.map((each) => each.toLowerCase()));
  }

  /** Undefined: in plain text, as everything on this machine is. `task` is who should answer, where that is known. */
  secure(address: string, task?: string): SecureDial | undefined {
    if (!this.#credentials || speaksPlain(address, this.#plaintext)) return undefined;
    return secureDial(this.#credentials, { task });
  }
}

/** By TLS, to a task or a machine of the lab: to this one, where it is given. */
export function secureDial(credentials: Credentials, peer: Pick<PeerExpectation, 'task' | 'machine'> = {}): SecureDial {
  return {
    secureContext: credentials.context,
    servername: SERVER_NAME,
    checkServerIdentity: (_, certificate) => {
      const refusal = credentials.refusal(certificate, { isServer: true, ...peer });
      return refusal === undefined ? undefined : new Error(REFUSED + refusal);
    },
  };
}

/** Whether an address, `host:port`, is of this machine or among the exceptions. */
export function speaksPlain(address: string, plaintext: ReadonlySet<string>): boolean {
  const whole = address.toLowerCase();
  const host = whole.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  return isLoopback(host) || plaintext.has(host) || plaintext.has(whole);
}

/** Whether only this machine itself is reached by that host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
