const named: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, a: 7, b: 8, f: 12, v: 11, '\\': 92, "'": 39, '"': 34, '?': 63 };
const shortForms = new Map([
  [10, '\\n'],
  [13, '\\r'],
  [9, '\\t'],
  [34, '\\"'],
  [39, "\\'"],
  [92, '\\\\'],
]);

/** Bytes as the inside of a quoted string; whatever is not printable ASCII as three octal digits. */
export function escapeBytes(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    const short = shortForms.get(byte);
    if (short !== undefined) text += short;
    else if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte);
    else text += `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return text;
}

/** The bytes of the inside of a quoted string; undefined when an escape is none. */
export function unescapeBytes(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  const pattern = /\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))|[^\\]+/gsu;
  for (const match of text.matchAll(pattern)) {
    const [whole, octal, hex, short, long, letter] = match;
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (short !== undefined || long !== undefined) pushText(bytes, String.fromCodePoint(Number.parseInt(short ?? long ?? '', 16)));
    else if (letter === undefined) pushText(bytes, whole);
    else if (named[letter] === undefined) return undefined;
    else bytes.push(named[letter]);
  }
  return Uint8Array.from(bytes);
}

function pushText(bytes: number[], text: string): void {
  for (const byte of new TextEncoder().encode(text)) bytes.push(byte);
}
