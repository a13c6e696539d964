/** A shortcut as the system writes it: `Ctrl K`, `⌘K`. */
export function shortcut(key: string): string {
  return /Mac/.test(navigator.platform) ? `⌘${key}` : `Ctrl ${key}`;
}
