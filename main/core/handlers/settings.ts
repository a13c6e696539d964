import type { Appearance, EffectiveSettings, Settings } from '#proto/ipc/contract.ts';
import type { Store } from '../../store/index.ts';
import type { AreaHandlers, Emit } from '../handler.ts';

export function settingsHandlers({ settings }: Pick<Store, 'settings'>, emit: Emit): AreaHandlers<'settings'> {
  let decided: Partial<Appearance> = {};
  const inForce = (own: Settings): EffectiveSettings => {
    const { language, theme } = decided;
    return {
      ...own,
      language: language ?? own.language,
      theme: theme ?? own.theme,
      byHost: [...(language ? (['language'] as const) : []), ...(theme ? (['theme'] as const) : [])],
    };
  };
  const tell = (own: Settings): EffectiveSettings => {
    const changed = inForce(own);
    emit('settings.changed', changed);
    return changed;
  };
  return {
    'settings.get': async () => inForce(await settings.read()),
    'settings.set': async (change) => tell(await settings.update((current) => ({ ...current, ...change }))),
    'settings.setByHost': async (appearance) => {
      decided = appearance;
      return tell(await settings.read());
    },
  };
}
