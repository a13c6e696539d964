import './reflect-stand-in.ts';
import { KeyObject, webcrypto } from 'node:crypto';
import { cryptoProvider, Pkcs10CertificateRequest, Pkcs10CertificateRequestGenerator, type PublicKey } from '@peculiar/x509';
import { invalidArgument, toStatusError } from '#proto/wire/status.ts';

/** P-256, which every TLS library has; Ed25519 is faster, but the one inside TensorFlow and Python's gRPC lacks it. */
export const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

export async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

/** A request to have a certificate issued, for whoever keeps the key to itself. The names that it will be for are not its own choice. */
export async function makeRequest(name: string): Promise<{ readonly key: string; readonly request: string }> {
  cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const request = await Pkcs10CertificateRequestGenerator.create({ name: [{ CN: [name] }], keys, signingAlgorithm: algorithm }, webcrypto);
  return { key: privateKeyPem(keys.privateKey), request: request.toString('pem') };
}

/** INVALID_ARGUMENT when it is no request, or was not signed with the key that it is for. */
export async function publicKeyOfRequest(pem: string): Promise<PublicKey> {
  cryptoProvider.set(webcrypto);
  let isSound = false;
  try {
    const request = new Pkcs10CertificateRequest(pem);
    isSound = await request.verify(webcrypto);
    if (isSound) return request.publicKey;
  } catch (error) {
    throw invalidArgument(`This is no request for a certificate: ${toStatusError(error).message}`, { cause: error });
  }
  throw invalidArgument('The request for a certificate was not signed with its own key');
}

export function privateKeyPem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
