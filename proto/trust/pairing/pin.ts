import { randomInt } from 'node:crypto';

/** Both sides must do the same work for a guess. About 0.2 s and 64 MiB by default; tests take less. */
export interface PairingEffort {
  readonly iterations: number;
  /** KiB */
  readonly memory: number;
  readonly parallelism: number;
}

export const DEFAULT_EFFORT: PairingEffort = { iterations: 3, memory: 65_536, parallelism: 1 };

/** What the record is filed under; there is one per PIN. */
export const USER = 'lanflow';

const DIGITS = 6;

/** `042 817`: with three tries, one guess in 333 333 is right. */
export function makePin(): string {
  const digits = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
  return `${digits.slice(0, 3)} ${digits.slice(3)}`;
}

/** People type spaces and hyphens where they like. */
export function normalPin(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '');
}

/** The names of the two ends are part of what is proved: an answer for one machine is of no use at another. */
export function namesOf(server: string): { readonly client: string; readonly server: string } {
  return { client: 'lanflow pairing client', server };
}
