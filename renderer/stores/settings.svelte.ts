import type { AppInfo, Settings } from '#proto/ipc/contract.ts';
import { CONTRACT_VERSION } from '#proto/ipc/frames.ts';
import type { Core } from '../api/core.ts';
import type { I18n } from '../locales/i18n.svelte.ts';
import { Remote } from './remote.svelte.ts';

/** Language and theme. What is chosen takes effect at once, and is undone when the core refuses to keep it. */
export class SettingsStore {
  current = $state.raw<Settings>({ language: 'system', theme: 'system' });
  readonly info: Remote<AppInfo>;
  /** The core is of another version than this window, which was loaded before. */
  readonly isOutdated: boolean = $derived.by(() => (this.info.value?.contractVersion ?? CONTRACT_VERSION) !== CONTRACT_VERSION);
  readonly #core: Core;
  readonly #i18n: I18n;

  constructor(core: Core, i18n: I18n) {
    this.#core = core;
    this.#i18n = i18n;
    this.info = new Remote(() => core.call('app.info'));
    core.on('settings.changed', (settings) => this.#apply(settings));
  }

  async load(): Promise<void> {
    await this.info.load();
    this.#apply(await this.#core.call('settings.get'));
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

  #apply(settings: Settings): void {
    this.current = settings;
    this.#i18n.choose(settings.language);
  }
}
