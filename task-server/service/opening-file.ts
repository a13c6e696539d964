import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { uptime } from 'node:os';
import { fileError } from '#proto/files/file-error.ts';
import { writeFileAtomically } from '#proto/files/write-file.ts';
import { LONGEST_OPENING_S } from '#proto/wire/opening.ts';
import { failedPrecondition, invalidArgument } from '#proto/wire/status.ts';
import { parseOpening } from './peer-filter.ts';

/** What stands in the file by which a running task is opened. Without the file it is closed. */
export interface RequestedOpening {
  readonly network: string;
  /** How long it may last, whatever the clock says. */
  readonly seconds: number;
  /** Unix epoch in milliseconds, by the clock of the machine that the task runs on. */
  readonly end: number;
  /** The same in seconds since the start of that machine, which go on when the clock is set; without it the clock alone counts. */
  readonly endUptime?: number | undefined;
  /** Which of the task's lives it is for; only the agent looks at it. */
  readonly life?: string | undefined;
}

/** INVALID_ARGUMENT when it is no network, or the time is none that an opening may have. */
export function requestOpening(network: string, seconds: number): RequestedOpening {
  parseOpening(network);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= LONGEST_OPENING_S)
    return { network, seconds, end: Date.now() + seconds * 1000, endUptime: uptime() + seconds };
  throw invalidArgument(`An opening lasts from 1 to ${LONGEST_OPENING_S} seconds, not ${seconds}`);
}

/** Milliseconds; not above 0 once it is over. A clock that is set back does not prolong it, also not for the next process of a task. */
export function timeLeft({ seconds, end, endUptime = Number.POSITIVE_INFINITY }: RequestedOpening): number {
  return Math.min(seconds * 1000, end - Date.now(), (endUptime - uptime()) * 1000);
}

export async function writeOpening(path: string, opening: RequestedOpening): Promise<void> {
  await writeFileAtomically(path, `${JSON.stringify(opening)}\n`);
}

export async function removeOpening(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
  } catch (error) {
    throw fileError(`${path} cannot be removed`, error);
  }
}

/** Empty when there is no file. */
export function readOpeningText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw fileError(`${path} cannot be read`, error);
  }
}

/** FAILED_PRECONDITION for what an agent has not written. */
export function parseOpeningText(text: string): RequestedOpening {
  try {
    const { network, seconds, end, endUptime, life } = JSON.parse(text) as Record<string, unknown>;
    const isUptime = endUptime === undefined || typeof endUptime === 'number';
    if (typeof network === 'string' && typeof seconds === 'number' && typeof end === 'number' && isUptime)
      return { ...requestOpening(network, seconds), end, endUptime, life: typeof life === 'string' ? life : undefined };
  } catch (error) {
    throw failedPrecondition(`it holds no opening: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
  throw failedPrecondition('it holds no opening: a network, seconds and an end are wanted');
}
