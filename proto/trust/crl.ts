import { type KeyObject, verify } from 'node:crypto';
import { invalidArgument } from '#proto/wire/status.ts';

/** One element of DER. */
interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length, as it was signed. */
  readonly whole: Buffer;
}

const Tag = { INTEGER: 0x02, BIT_STRING: 0x03, UTC_TIME: 0x17, GENERALIZED_TIME: 0x18, SEQUENCE: 0x30 } as const;

/**
 * Serial numbers, in lower-case hex without leading zeros, on the certificate revocation lists (RFC 5280) of a PEM text. Only
 * lists that one of the authorities has signed count; INVALID_ARGUMENT when none of them has signed one that is there.
 */
export function revokedSerials(pem: string, authorities: readonly KeyObject[]): ReadonlySet<string> {
  const serials = new Set<string>();
  for (const [, base64 = ''] of pem.matchAll(/-----BEGIN X509 CRL-----([^-]+)-----END X509 CRL-----/g)) {
    for (const serial of readList(Buffer.from(base64, 'base64'), authorities)) serials.add(serial);
  }
  return serials;
}

/** The form in which serial numbers are compared. */
export function normalSerial(hex: string): string {
  return hex.toLowerCase().replace(/^0+(?=.)/, '');
}

function readList(der: Buffer, authorities: readonly KeyObject[]): string[] {
  const [signed, , signature] = children(element(der, 0).content);
  if (signed?.tag !== Tag.SEQUENCE || signature?.tag !== Tag.BIT_STRING) throw malformed();
  // The first byte of a bit string counts its unused bits.
  const isOurs = authorities.some((key) => verify('sha256', signed.whole, { key, dsaEncoding: 'der' }, signature.content.subarray(1)));
  if (!isOurs) throw invalidArgument('it is not signed by the authority of the lab');
  const fields = children(signed.content);
  // Behind the time of this update, and that of the next if there is one, stands the list.
  const lastTime = fields.findLastIndex(({ tag }) => tag === Tag.UTC_TIME || tag === Tag.GENERALIZED_TIME);
  const list = fields[lastTime + 1];
  if (lastTime < 0) throw malformed();
  if (list?.tag !== Tag.SEQUENCE) return [];
  return children(list.content).map(({ content }) => {
    const [serial] = children(content);
    if (serial?.tag !== Tag.INTEGER) throw malformed();
    return normalSerial(serial.content.toString('hex'));
  });
}

function children(content: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < content.length; ) {
    const next = element(content, at);
    found.push(next);
    at += next.whole.length;
  }
  return found;
}

function element(bytes: Buffer, start: number): Element {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) throw malformed();
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 4 || first === 0x80 || start + 2 + lengthBytes > bytes.length) throw malformed();
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(start + 2, lengthBytes);
  const contentStart = start + 2 + lengthBytes;
  const end = contentStart + length;
  if (end > bytes.length) throw malformed();
  return { tag, content: bytes.subarray(contentStart, end), whole: bytes.subarray(start, end) };
}

function malformed(): Error {
  return invalidArgument('it is no certificate revocation list');
}
