/** What is wrong with the value of a feed. */
export type FeedProblem =
  | { readonly kind: 'noJson'; readonly reason: string }
  | { readonly kind: 'ragged' }
  | { readonly kind: 'shape'; readonly wanted: string; readonly got: string }
  | { readonly kind: 'element'; readonly wanted: string; readonly got: string };

const INTEGERS = /^u?int\d+$|^q?u?int\d+$/;
/** As JSON cannot write them. */
const NOT_FINITE = new Set(['NaN', 'Infinity', '-Infinity']);

/** Checks the JSON of a feed against a tensor's type such as `float[2,?]`; a type that is not known so far fits everything. */
export function checkFeed(json: string, type: string): FeedProblem | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { kind: 'noJson', reason: error instanceof Error ? error.message : String(error) };
  }
  const shape = shapeOf(value);
  if (!shape) return { kind: 'ragged' };
  const [, dtype = '', dimensions] = /^(\w*)(?:\[(.*)\])?$/.exec(type) ?? [];
  // `float[?]` is a vector of any length; `float` alone, or with an unknown rank, any tensor.
  const wanted =
    dimensions === undefined || dimensions === '…' ? undefined : dimensions === '' ? [] : dimensions.split(',').map((each) => each.trim());
  const fits =
    wanted === undefined ||
    (wanted.length === shape.length && wanted.every((size, at) => size === '?' || size === '-1' || Number(size) === shape[at]));
  if (!fits) return { kind: 'shape', wanted: `[${wanted?.join(', ')}]`, got: `[${shape.join(', ')}]` };
  const wrong = elementsOf(value).find((element) => !isElement(element, dtype));
  return wrong === undefined ? undefined : { kind: 'element', wanted: dtype, got: JSON.stringify(wrong) };
}

/** Sizes of nested lists; undefined when they differ within one level. */
function shapeOf(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) return [];
  const inner = value.map(shapeOf);
  const [first] = inner;
  if (value.length === 0) return [0];
  if (!first || inner.some((each) => each?.join() !== first.join())) return undefined;
  return [value.length, ...first];
}

function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.flatMap(elementsOf) : [value];
}

function isElement(value: unknown, dtype: string): boolean {
  if (dtype === 'string') return typeof value === 'string';
  if (dtype === 'bool') return typeof value === 'boolean';
  if (INTEGERS.test(dtype)) return Number.isInteger(value);
  if (dtype === '') return value !== null && typeof value !== 'object';
  return typeof value === 'number' || (typeof value === 'string' && NOT_FINITE.has(value));
}
