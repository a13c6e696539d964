import type { Appearance } from '#proto/ipc/contract.ts';

const KEY = 'lanflow.settings';
const languages = ['system', 'en', 'zh-CN'] as const;
const themes = ['system', 'light', 'dark'] as const;

/** The appearance that this window had the last time: it opens in its colours before the core has answered. */
export function recallSettings(storage: Pick<Storage, 'getItem'>): Appearance | undefined {
  try {
    const stored: unknown = JSON.parse(storage.getItem(KEY) ?? '{}');
    const { language, theme } = { ...(typeof stored === 'object' ? stored : {}) } as Partial<Record<keyof Appearance, unknown>>;
    const known = { language: languages.find((each) => each === language), theme: themes.find((each) => each === theme) };
    return known.language && known.theme ? { language: known.language, theme: known.theme } : undefined;
  } catch (error) {
    // Somebody else has written there; the core knows better anyway.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function rememberSettings(storage: Pick<Storage, 'setItem'>, { language, theme }: Appearance): void {
  storage.setItem(KEY, JSON.stringify({ language, theme }));
}
