import { invalidArgument } from '#proto/wire/status.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds in `90s`, `15m` or `8h`. INVALID_ARGUMENT for any other text. */
export function parseDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,9})([smh])$/.exec(text) ?? [];
  if (amount === undefined) throw invalidArgument(`'${text}' is no time: write a number and its unit, such as 90s, 15m or 8h`);
  return Number(amount) * (UNITS[unit] ?? 0);
}

/** `14 min`, `2 h 5 min`, as people say how much is left; the last minute in seconds. */
export function spokenDuration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
