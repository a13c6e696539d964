import type { AppInfo, EffectiveSettings, Settings } from '#proto/ipc/contract.ts';
import { CONTRACT_VERSION } from '#proto/ipc/frames.ts';
import type { Core } from '../api/core.ts';
import type { I18n } from '../locales/i18n.svelte.ts';
import { Remote } from './remote.svelte.ts';
import { recallSettings, rememberSettings } from './settings-memory.ts';

/** What the user has chosen, and what the app is. What is chosen takes effect at once, and is undone when the core refuses to keep it. */
export class SettingsStore {
  current = $state.raw<EffectiveSettings>({ language: 'system', theme: 'system', ports: 'any', byHost: [] });
  /** The core has said what they are. Until then they are as this window had them the last time. */
  loaded = $state.raw(false);
  readonly info: Remote<AppInfo>;
  /** The core is of another version than this window, which was loaded before. */
  readonly isOutdated: boolean = $derived.by(() => (this.info.value?.contractVersion ?? CONTRACT_VERSION) !== CONTRACT_VERSION);
  readonly #core: Core;
  readonly #i18n: I18n;

  constructor(core: Core, i18n: I18n) {
    this.#core = core;
    this.#i18n = i18n;
    this.info = new Remote(() => core.call('app.info'));
    const remembered = recallSettings(localStorage);
    if (remembered) this.#apply({ ...this.current, ...remembered });
    core.on('settings.changed', (settings) => this.#learn(settings));
  }

  async load(): Promise<void> {
    this.#learn(await this.#core.call('settings.get'));
    await this.info.load();
  }

  async change(change: Partial<Settings>): Promise<void> {
    const before = this.current;
    this.#apply({ ...before, ...change });
    try {
      await this.#core.call('settings.set', change);
    } catch (error) {
      this.#apply(before);
      throw error;
    }
  }

  #learn(settings: EffectiveSettings): void {
    this.#apply(settings);
    this.loaded = true;
    rememberSettings(localStorage, settings);
  }

  #apply(settings: EffectiveSettings): void {
    this.current = settings;
    this.#i18n.choose(settings.language);
  }
}
