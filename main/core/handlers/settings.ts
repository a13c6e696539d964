import type { Store } from '../../store/index.ts';
import type { AreaHandlers, Emit } from '../handler.ts';

export function settingsHandlers({ settings }: Store, emit: Emit): AreaHandlers<'settings'> {
  return {
    'settings.get': () => settings.read(),
    'settings.set': async (change) => {
      const changed = await settings.update((current) => ({ ...current, ...change }));
      emit('settings.changed', changed);
      return changed;
    },
  };
}
