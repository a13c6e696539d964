import './reflect-stand-in.ts';
import { KeyObject, webcrypto } from 'node:crypto';
import { cryptoProvider, Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

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

export function privateKeyPem(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();
}
