import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { permissionDenied } from '#proto/wire/status.ts';

export type End = 'client' | 'server';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Messages between two ends that have proved to each other that they know the PIN: encrypted, and each good for one place in the
 * order. PERMISSION_DENIED for one that was changed, repeated, left out or sent back to its sender.
 */
export class Sealed {
  readonly #ownKey: Buffer;
  readonly #otherKey: Buffer;
  #sent = 0;
  #received = 0;

  /** `sessionKey`: as OPAQUE gives it. */
  constructor(end: End, sessionKey: string) {
    const key = (of: End): Buffer => Buffer.from(hkdfSync('sha256', sessionKey, '', `lanflow pairing 1, ${of}`, 32));
    this.#ownKey = key(end);
    this.#otherKey = key(end === 'client' ? 'server' : 'client');
  }

  seal(message: Uint8Array): Uint8Array {
    const cipher = createCipheriv('aes-256-gcm', this.#ownKey, nonce(this.#sent++));
    return Buffer.concat([cipher.update(message), cipher.final(), cipher.getAuthTag()]);
  }

  open(sealed: Uint8Array): Uint8Array {
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#otherKey, nonce(this.#received), { authTagLength: TAG_BYTES });
      const end = sealed.length - TAG_BYTES;
      decipher.setAuthTag(sealed.subarray(end));
      const message = Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
      this.#received++;
      return message;
    } catch (error) {
      throw permissionDenied('A message of the pairing was changed on its way, or comes twice', { cause: error });
    }
  }
}

function nonce(count: number): Buffer {
  const bytes = Buffer.alloc(NONCE_BYTES);
  bytes.writeBigUInt64BE(BigInt(count), NONCE_BYTES - 8);
  return bytes;
}
