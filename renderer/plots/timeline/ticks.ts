import type { TimeView } from './time-view.ts';

export interface Tick {
  readonly time: number;
  readonly label: string;
}

/** Units by length in microseconds. */
const units = [
  { name: 's', length: 1e6 },
  { name: 'ms', length: 1e3 },
  { name: 'µs', length: 1 },
  { name: 'ns', length: 1e-3 },
] as const;

/** Round moments of a view, at most `most` of them, 1, 2 or 5 times a power of ten apart; all labels in one unit. */
export function ticksOf({ start, span }: TimeView, most: number): Tick[] {
  const step = niceStep(span / Math.max(most, 1));
  const unit = unitFor(Math.max(Math.abs(start + span), step));
  const decimals = Math.max(0, -Math.floor(Math.log10(step / unit.length) + 1e-9));
  const ticks: Tick[] = [];
  for (let i = Math.ceil(start / step); i * step <= start + span; i++) {
    const time = i * step;
    ticks.push({ time, label: `${grouped((time / unit.length).toFixed(decimals))} ${unit.name}` });
  }
  return ticks;
}

/** The least of 1, 2, 5, 10, 20 … that is not below `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((candidate) => candidate * power >= least * (1 - 1e-9)) ?? 10;
  return factor * power;
}

function unitFor(time: number): (typeof units)[number] {
  return units.find(({ length }) => time >= length) ?? units[3];
}

/** A length of time in the unit that suits it: `4 µs`, `1.94 ms`, `12 ns`. */
export function formatDuration(micros: number): string {
  if (micros === 0) return '0 µs';
  const { name, length } = unitFor(Math.abs(micros) * 1.0000001);
  const value = micros / length;
  const decimals = Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${grouped(value.toFixed(decimals))} ${name}`;
}

/** Microseconds with what the trace knows of their fraction: `1 702`, `19.059`. */
export function formatMicros(micros: number): string {
  return grouped(String(Math.round(micros * 1000) / 1000));
}

/** Bytes in binary units, as TensorFlow's own labels have them. */
export function formatBytes(bytes: number): string {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = bytes < 1024 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), names.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? grouped(value.toFixed(0)) : value.toFixed(1)} ${names[power]}`;
}

/** What `bytes` in `micros` make: `1.2 Mb/s`; empty when no time passed. */
export function formatRate(bytes: number, micros: number): string {
  if (micros <= 0) return '';
  const bits = (bytes * 8e6) / micros;
  const [value, name] = bits >= 1e9 ? [bits / 1e9, 'Gb/s'] : bits >= 1e6 ? [bits / 1e6, 'Mb/s'] : [bits / 1e3, 'kb/s'];
  return `${value >= 100 ? grouped(value.toFixed(0)) : value.toFixed(1)} ${name}`;
}

/** Narrow no-break spaces between thousands: understood in every language. */
function grouped(digits: string): string {
  const [whole = '', fraction] = digits.split('.');
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, '\u202f');
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}
