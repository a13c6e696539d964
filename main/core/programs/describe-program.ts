import { setTimeout as delay } from 'node:timers/promises';
import { deadlineExceeded } from '#proto/wire/status.ts';
import { ClientProcess } from '../../program-host/client-process.ts';
import type { Description, ProgramSource } from '../../program-host/protocol.ts';

/** Loading one takes a fraction of a second; one that takes longer is at work while it should only say what it is. */
const LIMIT_MS = 10_000;

/**
 * What a program says of itself, asked in a process of its own. Rejects with what is wrong with its source, or with
 * DEADLINE_EXCEEDED when it does not end to load.
 */
export async function describeProgram(entry: string, source: ProgramSource): Promise<Description> {
  const host = new ClientProcess({ entry, source, onEvent: () => undefined });
  const limit = new AbortController();
  try {
    return await Promise.race([host.ask({ kind: 'describe' }), timeout(limit.signal)]);
  } finally {
    limit.abort();
    await host.stop();
  }
}

async function timeout(signal: AbortSignal): Promise<never> {
  // Whoever aborts has the answer, and does not look at this promise any more.
  await delay(LIMIT_MS, undefined, { signal });
  throw deadlineExceeded(`The program was not loaded within ${LIMIT_MS / 1000} s; what it does belongs into its run or task function`);
}
