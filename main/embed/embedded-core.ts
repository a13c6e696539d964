import type { Appearance, CallName, Calls, EventName, Events } from '#proto/ipc/contract.ts';
import { type StatusError, toStatusError, unavailable } from '#proto/wire/status.ts';
import type { BuiltParts } from '../app/built-parts.ts';
import { SharedCore } from '../app/shared-core.ts';
import { type ArgumentOf, CoreCalls } from './core-calls.ts';
import { nodeProblem } from './node-check.ts';
import { type CoreOptions, checkLanguage, checkTheme, type Language, type Theme } from './options.ts';

/** Hears of the core's lives: a page asks for everything again when another one has started. */
export interface CoreWatcher {
  onStarted(): void;
  onEnded(reason: string, restarts: boolean): void;
}

const CLOSED = 'Lanflow was closed by the host application';

/** The core of a host application: started, decorated as the host wants it, and watched. */
export class EmbeddedCore {
  readonly shared: SharedCore;
  readonly #options: CoreOptions;
  readonly #calls: CoreCalls;
  readonly #watchers = new Set<CoreWatcher>();
  readonly #onClosed = new Set<() => void>();
  #decided: Partial<Appearance>;
  #isUp = false;
  #closing: Promise<void> | undefined;

  private constructor(options: CoreOptions, parts: BuiltParts) {
    const { dataFolder, programs = [], theme, language } = options;
    this.#options = options;
    this.#decided = { ...(theme && { theme }), ...(language && { language }) };
    this.shared = new SharedCore(
      {
        node: parts.node,
        entry: parts.coreEntry,
        args: ['--host-programs', JSON.stringify(programs.map(({ path, title }) => ({ path, title })))],
        env: dataFolder === undefined ? {} : { LANFLOW_DATA: dataFolder },
      },
      {
        onStarted: () => this.#begin(),
        onEnded: (reason, restarts) => this.#end(reason, restarts),
        onStderr: (text) => process.stderr.write(text),
      },
    );
    this.#calls = new CoreCalls(this.shared);
  }

  /** Resolves when the core answers; rejects with UNAVAILABLE, and the way out, when it cannot be started. */
  static async start(options: CoreOptions, parts: BuiltParts): Promise<EmbeddedCore> {
    const core = new EmbeddedCore(options, parts);
    const reason = await core.#firstAnswer();
    if (reason === undefined) {
      core.#isUp = true;
      return core;
    }
    await core.close();
    throw unavailable(`The core of Lanflow cannot be started: ${(await nodeProblem(parts.node)) || reason}`);
  }

  get theme(): Theme | undefined {
    return this.#decided.theme;
  }

  call<N extends CallName>(name: N, ...argument: ArgumentOf<N>): Promise<Calls[N]['result']> {
    return this.#calls.call(name, ...argument);
  }

  on<N extends EventName>(name: N, listener: (payload: Events[N]) => void): () => void {
    return this.#calls.on(name, listener);
  }

  async setTheme(theme: Theme): Promise<void> {
    checkTheme(theme);
    await this.#decide({ theme });
  }

  async setLanguage(language: Language): Promise<void> {
    checkLanguage(language);
    await this.#decide({ language });
  }

  /** The returned function ends it. */
  watch(watcher: CoreWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  onClosed(listener: () => void): void {
    this.#onClosed.add(listener);
  }

  report(error: unknown): void {
    this.#options.onError?.(toStatusError(error) satisfies StatusError);
  }

  /** Resolves when it has ended, with everything that it has started. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Resolves when it answers, or with the reason why it has ended. */
  #firstAnswer(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const unwatch = this.watch({
        // A call that fails does so because the core has ended.
        onStarted: () =>
          void this.call('app.info').then(
            () => settle(undefined),
            () => undefined,
          ),
        onEnded: (reason) => settle(reason),
      });
      const settle = (reason: string | undefined): void => {
        unwatch();
        resolve(reason);
      };
      this.shared.start();
    });
  }

  async #close(): Promise<void> {
    for (const listener of this.#onClosed) listener();
    this.#calls.close(CLOSED);
    await this.shared.stop();
  }

  async #decide(change: Partial<Appearance>): Promise<void> {
    this.#decided = { ...this.#decided, ...change };
    await this.call('settings.setByHost', this.#decided);
  }

  /** Packets are answered in order, so no page sees settings that are not the host's. */
  #begin(): void {
    if (Object.keys(this.#decided).length > 0)
      this.call('settings.setByHost', this.#decided).catch((error: unknown) => this.#reportLater(error));
    for (const watcher of this.#watchers) watcher.onStarted();
  }

  /** Unless it is the closing itself that made it fail. */
  #reportLater(error: unknown): void {
    if (!this.#closing) this.report(error);
  }

  #end(reason: string, restarts: boolean): void {
    this.#calls.rejectAll(`The core of Lanflow has ended: ${reason}`);
    for (const watcher of this.#watchers) watcher.onEnded(reason, restarts);
    if (this.#isUp) this.report(unavailable(`The core of Lanflow has ended: ${reason}${restarts ? ' It is started again.' : ''}`));
  }
}
