import type { ClockOffset } from './estimate-clocks.ts';

/** `clock 2000000 µs ahead, ± 281 µs; corrected` */
export function clockText({ offset, error }: ClockOffset): string {
  const direction = offset < 0 ? 'behind' : 'ahead';
  return `clock ${Math.abs(offset)} µs ${direction}, ${error === undefined ? 'by a guess' : `± ${Math.ceil(error)} µs`}; corrected`;
}
