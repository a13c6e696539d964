import { setImmediate as otherWork } from 'node:timers/promises';

const PER_TURN = 2000;

/** Texts one after another as UTF-8. Lets other work of the process go on meanwhile, however many there are. */
export async function joinTexts(texts: Iterable<string>): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let batch: string[] = [];
  for (const text of texts) {
    batch.push(text);
    if (batch.length < PER_TURN) continue;
    parts.push(Buffer.from(batch.join('')));
    batch = [];
    await otherWork();
  }
  return Buffer.concat([...parts, Buffer.from(batch.join(''))]);
}
