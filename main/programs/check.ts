import { ONLY_CLIENT, type Outcome, type Outcomes } from '../client/index.ts';

/**
 * Compares what clients handed back with the right results, by client and by name; numbers may be off by `tolerance`, and where a
 * task is wanted any of its devices is right. One sentence for each difference. What is not in `wanted` may be anything.
 */
export function differences(outcomes: Outcomes, wanted: Readonly<Record<string, Outcome>>, tolerance = 0): readonly string[] {
  return Object.entries(wanted).flatMap(([client, values]) => {
    const outcome = outcomes.get(client);
    if (!outcome) return [`${client}: no outcome`];
    return Object.entries(values)
      .filter(([name, value]) => !isSame(outcome[name], value, tolerance))
      .map(([name, value]) => `${client}: ${name} is ${text(outcome[name])}, but must be ${text(value)}${within(tolerance)}`);
  });
}

/** A number that the only client handed back; NaN, which fulfils no requirement, when it did not. */
export function numberIn(outcomes: Outcomes, name: string): number {
  const value = outcomes.get(ONLY_CLIENT)?.[name];
  return typeof value === 'number' ? value : Number.NaN;
}

/** The texts that the only client handed back under a name, but for empty ones. */
export function textsIn(outcomes: Outcomes, name: string): readonly string[] {
  const value = outcomes.get(ONLY_CLIENT)?.[name];
  return [value].flat().flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : []));
}

/** A sentence for each requirement that does not hold. */
export function unmet(requirements: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.entries(requirements).flatMap(([sentence, holds]) => (holds ? [] : [`Not so: ${sentence}`]));
}

type OutcomeValue = Outcome[string] | undefined;

function isSame(got: OutcomeValue, wanted: OutcomeValue, tolerance: number): boolean {
  if (typeof got === 'number' && typeof wanted === 'number') return Math.abs(got - wanted) <= tolerance;
  if (typeof got === 'string' && typeof wanted === 'string') return got === wanted || got.startsWith(`${wanted}/device:`);
  if (!Array.isArray(got) || !Array.isArray(wanted)) return got === wanted;
  return got.length === wanted.length && got.every((each, i) => isSame(each, wanted[i], tolerance));
}

function text(value: OutcomeValue): string {
  if (value === undefined) return 'missing';
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function within(tolerance: number): string {
  return tolerance === 0 ? '' : ` (within ${tolerance})`;
}
