import type { TraceClock } from '#proto/ipc/contract.ts';
import type { Text } from '../../locales/i18n.svelte.ts';
import { formatDuration } from '../../plots/timeline/ticks.ts';

/** What is said beside a device whose times were corrected; empty where they are as recorded. */
export function clockNote(text: Text, clock: TraceClock | null | undefined): string {
  if (!clock) return '';
  const offset = unbroken(Math.abs(clock.offset));
  if (clock.error === null) return text(clock.offset < 0 ? 'trace.clockSlowGuess' : 'trace.clockFastGuess', { offset });
  const error = unbroken(Math.ceil(clock.error));
  return text(clock.offset < 0 ? 'trace.clockSlow' : 'trace.clockFast', { offset, error });
}

/** The note may take several lines; a number and its unit stay on one. */
function unbroken(micros: number): string {
  return formatDuration(micros).replace(' ', '\u00a0');
}
