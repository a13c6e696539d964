/** The name itself, or with `_1`, `_2` behind it, as TensorFlow does it; the case of letters does not tell names apart. */
export function uniqueName(wanted: string, taken: Iterable<string>): string {
  const used = new Set([...taken].map((name) => name.toLowerCase()));
  if (!used.has(wanted.toLowerCase())) return wanted;
  const stem = wanted.replace(/_\d+$/, '');
  let number = 1;
  while (used.has(`${stem}_${number}`.toLowerCase())) number++;
  return `${stem}_${number}`;
}
