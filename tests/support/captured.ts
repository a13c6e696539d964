import { readFileSync } from 'node:fs';

/** One call between a client and a task, or between two tasks, as scripts/capture.mjs saw it. */
export interface CapturedCall {
  readonly request: Uint8Array;
  /** Absent when the call failed. */
  readonly response?: Uint8Array;
}

interface Recorded {
  readonly request: string;
  readonly response?: string;
}

/** All captured calls of a method; `name` is that of its file, `run-step`. */
export function captured(name: string): CapturedCall[] {
  const text = readFileSync(new URL(`../fixtures/wire/${name}.json`, import.meta.url), 'utf8');
  const { calls }: { calls: readonly Recorded[] } = JSON.parse(text);
  return calls.map(({ request, response }) => ({
    request: bytes(request),
    ...(response !== undefined && { response: bytes(response) }),
  }));
}

function bytes(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
