import type { OpFamily } from './op-family.ts';

/** The colour of each kind of op, in traces and in graphs. */
export const familyColours: Readonly<Record<OpFamily, string>> = {
  compute: 'var(--device-0)',
  state: 'var(--device-2)',
  data: 'var(--device-1)',
  transfer: 'var(--device-3)',
  flow: 'var(--faint)',
  other: 'var(--device-7)',
};

/** Keys of their names. */
export const familyNames = {
  compute: 'trace.familyCompute',
  state: 'trace.familyState',
  data: 'trace.familyData',
  transfer: 'trace.familyTransfer',
  flow: 'trace.familyFlow',
  other: 'trace.familyOther',
} as const satisfies Record<OpFamily, string>;
