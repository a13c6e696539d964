import type { WaitReport } from '../client/index.ts';

/** What a session is waiting for, in words. */
export function waitText({ task, address, reason, sinceMs }: WaitReport): string {
  return `waiting for ${task ?? 'the task'} at ${address} for ${Math.round(sinceMs / 1000)} s: ${reason}`;
}
