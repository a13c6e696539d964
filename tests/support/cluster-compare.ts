/**
 * Where two results of one case differ, in words; undefined when they agree. Numbers may differ by `tolerance`, relative to
 * the expected one; without tolerance they must be the same number, the sign of zero included.
 */
export function firstDifference(actual: unknown, expected: unknown, tolerance: number, path = 'result'): string | undefined {
  if (typeof expected === 'number' && typeof actual === 'number') {
    const close = Object.is(actual, expected) || (tolerance > 0 && Math.abs(actual - expected) <= tolerance * Math.abs(expected));
    return close ? undefined : unequal(actual, expected, path);
  }
  if (isRecord(expected) && isRecord(actual)) return differenceInFields(actual, expected, tolerance, path);
  return actual === expected ? undefined : unequal(actual, expected, path);
}

function differenceInFields(actual: Fields, expected: Fields, tolerance: number, path: string): string | undefined {
  for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const difference = firstDifference(actual[name], expected[name], tolerance, `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function unequal(actual: unknown, expected: unknown, path: string): string {
  return `${path} is ${JSON.stringify(actual)}, but genuine TensorFlow gives ${JSON.stringify(expected)}`;
}
