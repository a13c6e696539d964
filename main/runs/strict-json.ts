/** JSON that every parser reads: numbers with all their digits, those that are not finite as the texts NaN, Infinity, -Infinity. */
export function strictJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'number' && !Number.isFinite(each) ? String(each) : each), indent);
}
