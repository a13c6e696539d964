import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type SecureContext, type TLSSocket } from 'node:tls';
import { ALPN, type Credentials } from '#proto/trust/credentials.ts';
import { type Identity, readIdentities } from '#proto/trust/identity.ts';
import type { Log } from './log.ts';

export interface TlsDoorEnv {
  readonly credentials: Credentials;
  readonly log: Log;
  /** A connection of somebody who holds a certificate of the lab. */
  readonly onConnection: (socket: TLSSocket, peer: readonly Identity[]) => void;
}

/** With this byte a TLS handshake begins, and neither HTTP/2 nor the link does. */
export const TLS_FIRST_BYTE = 0x16;
/** A member of the lab is through with it in a fraction of this. */
const HANDSHAKE_MS = 10_000;
/** How soon a certificate that is revoked, or replaced, is noticed. */
const REFRESH_MS = 2000;

/** The TLS half of a port: lets in who holds a certificate of the lab, as long as it is not revoked. */
export class TlsDoor {
  readonly #env: TlsDoorEnv;
  readonly #server;
  readonly #open = new Set<TLSSocket>();
  readonly #timer: NodeJS.Timeout;
  /** In use. */
  #context: SecureContext;

  constructor(env: TlsDoorEnv) {
    this.#env = env;
    this.#context = env.credentials.context;
    this.#server = createServer({
      ...env.credentials.contextOptions,
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ALPN,
      handshakeTimeout: HANDSHAKE_MS,
      // Every connection shows its certificate; none is taken up again on the strength of an earlier one.
      secureOptions: constants.SSL_OP_NO_TICKET,
      noDelay: true,
    });
    this.#server.on('secureConnection', (socket) => this.#admit(socket));
    this.#server.on('tlsClientError', (error, socket) => {
      env.log.debug(`refused a TLS connection from ${socket.remoteAddress}: ${error.message}`);
      socket.destroy();
    });
    this.#timer = setInterval(() => this.refresh(), REFRESH_MS).unref();
  }

  /** Takes over a connection whose first byte was that of TLS. */
  accept(socket: Socket): void {
    this.#server.emit('connection', socket);
  }

  /** Shows and judges by what the files say now; it happens by itself too, within two seconds. */
  refresh(): void {
    const { credentials, log } = this.#env;
    credentials.refresh();
    if (credentials.context === this.#context) return;
    this.#context = credentials.context;
    this.#server.setSecureContext({ ...credentials.contextOptions, secureOptions: constants.SSL_OP_NO_TICKET });
    for (const socket of this.#open) {
      const refusal = credentials.refusal(socket.getPeerCertificate());
      if (refusal === undefined) continue;
      log.warning(`closed a TLS connection with ${socket.remoteAddress}: ${refusal}`);
      socket.destroy();
    }
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #admit(socket: TLSSocket): void {
    const { credentials, log, onConnection } = this.#env;
    const certificate = socket.getPeerCertificate();
    const refusal = credentials.refusal(certificate);
    if (refusal !== undefined) {
      log.warning(`refused a TLS connection from ${socket.remoteAddress}: ${refusal}`);
      socket.destroy();
      return;
    }
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    onConnection(socket, readIdentities(certificate.subjectaltname));
  }
}
