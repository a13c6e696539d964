/** What is selected now, the newest last because it is the current one; undefined when nothing has changed. */
export function changedSelection(before: readonly string[], now: readonly string[]): readonly string[] | undefined {
  const [old, ids] = [new Set(before), new Set(now)];
  if (old.size === ids.size && now.every((id) => old.has(id))) return undefined;
  return [...before.filter((id) => ids.has(id)), ...now.filter((id) => !old.has(id))];
}
