import { formatValue } from '../../components/number.ts';

const MOST_VALUES = 8;

/** What a client handed back, one line for each name. */
export function outcomeRows(outcome: Readonly<Record<string, unknown>>): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(outcome).map(([name, value]) => ({ name, value: outcomeText(value) }));
}

function outcomeText(value: unknown): string {
  if (typeof value === 'number') return formatValue(value);
  if (!Array.isArray(value)) return String(value);
  const shown = value.slice(0, MOST_VALUES).map(outcomeText).join(', ');
  return value.length > MOST_VALUES ? `${shown}, …` : shown;
}
