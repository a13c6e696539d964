import { type TlsFiles, tlsFilesOf } from '#proto/trust/tls-files.ts';

type Variables = Record<string, string | undefined>;

/**
 * From now on clients in this process, and in programs that it starts, show the lab's certificate to tasks on other machines. What the
 * user has set himself counts more.
 */
export function showCertificate({ cert, key, ca, crl }: TlsFiles, variables: Variables): void {
  if (tlsFilesOf(variables)) return;
  Object.assign(variables, { LANFLOW_TLS_CERT: cert, LANFLOW_TLS_KEY: key, LANFLOW_TLS_CA: ca, ...(crl && { LANFLOW_TLS_CRL: crl }) });
}

/** From now on these addresses, besides those that the user has set himself, are dialled in plain text. */
export class PlaintextAddresses {
  readonly #variables: Variables;
  readonly #own: string | undefined;

  constructor(variables: Variables) {
    this.#variables = variables;
    this.#own = variables['LANFLOW_TLS_PLAINTEXT'];
  }

  set(addresses: readonly string[]): void {
    this.#variables['LANFLOW_TLS_PLAINTEXT'] = [this.#own ?? '', ...addresses].filter((each) => each !== '').join(',');
  }
}
