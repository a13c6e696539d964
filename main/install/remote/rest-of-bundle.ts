import { createReadStream } from 'node:fs';
import type { Bundle } from '../bundle/bundle.ts';

/** What an earlier upload has not brought. `onFraction` hears how much of the whole has gone, each time when a chunk was taken. */
export async function* restOf(bundle: Bundle, start: number, onFraction: (fraction: number) => void): AsyncGenerator<Buffer> {
  let sent = start;
  for await (const chunk of createReadStream(bundle.path, { start }) as AsyncIterable<Buffer>) {
    yield chunk;
    sent += chunk.length;
    onFraction(sent / bundle.size);
  }
}
