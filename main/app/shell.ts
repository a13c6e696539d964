import { app, type BrowserWindow, dialog, Menu, nativeTheme } from 'electron';
import type { ShellCalls, ShellCommand, ShellNotice } from '#proto/ipc/bridge.ts';
import { toStatusError } from '#proto/wire/status.ts';
import { PAGE_URL } from './app-protocol.ts';
import { menuTemplate } from './menu-template.ts';
import { languageFor, menuTexts, type ShellLanguage } from './menu-texts.ts';
import { readOpenedFile, type Wishes } from './opened-files.ts';
import { PageLink } from './page-link.ts';
import { SharedCore } from './shared-core.ts';
import { createShellCalls } from './shell-calls.ts';
import { loadShellState, type ShellState, saveShellState } from './shell-state.ts';
import { createWindow, pagePreferences } from './window.ts';

export interface ShellEnv {
  /** The Node that runs the core. */
  readonly node: string;
  readonly coreEntry: string;
  readonly preload: string;
  readonly stateFile: string;
  /** Keeps what went wrong for whoever sees no terminal. */
  readonly log: (text: string) => void;
}

/** The window, its menu and its core. Starts the core at once; Electron must be ready. */
export class Shell {
  readonly #env: ShellEnv;
  readonly #core: SharedCore;
  #state: ShellState;
  #window: BrowserWindow | undefined;
  #link: PageLink | undefined;

  constructor(env: ShellEnv) {
    this.#env = env;
    this.#state = loadShellState(env.stateFile);
    this.#core = new SharedCore(
      { node: env.node, entry: env.coreEntry },
      {
        onStarted: () => this.#notify({ kind: 'coreStarted' }),
        onEnded: (reason, restarts) => {
          env.log(`The core has ended: ${reason}`);
          this.#notify({ kind: 'coreEnded', reason, restarts });
        },
        onStderr: (text) => process.stderr.write(text),
      },
    );
    this.#core.start();
    nativeTheme.themeSource = this.#state.theme;
    this.#buildMenu();
  }

  /** Opens the window, or brings it to the front. */
  show(): void {
    if (!this.#window) {
      this.#open();
    } else {
      if (this.#window.isMinimized()) this.#window.restore();
      this.#window.show();
      this.#window.focus();
    }
  }

  /** What a command line asks for, at the start or from a second instance. */
  fulfil({ runDemo, files }: Wishes): void {
    this.show();
    for (const path of files) this.#openFile(path);
    if (runDemo) this.#notify({ kind: 'command', command: 'runDemo' });
  }

  /** Resolves when the core and its tasks have ended. */
  stop(): Promise<void> {
    return this.#core.stop();
  }

  get #language(): ShellLanguage {
    return this.#state.language ?? languageFor([app.getLocale()]);
  }

  #open(): void {
    const window = createWindow({ state: this.#state, webPreferences: pagePreferences(this.#env.preload) });
    this.#window = window;
    this.#link = new PageLink({
      contents: window.webContents,
      answer: createShellCalls({
        window,
        setAppearance: (appearance) => this.#setAppearance(appearance),
        restartCore: () => this.#core.start(),
      }),
      core: this.#core,
    });
    window.on('close', () => this.#remember({ bounds: window.getNormalBounds(), maximized: window.isMaximized() }));
    window.once('closed', () => {
      this.#window = undefined;
      this.#link = undefined;
    });
    window.loadURL(PAGE_URL).catch((error: Error) => this.#env.log(`The window cannot be loaded: ${error.message}`));
  }

  #openFile(path: string): void {
    try {
      this.#notify({ kind: 'fileOpened', file: readOpenedFile(path) });
    } catch (error) {
      const { message } = toStatusError(error);
      void dialog.showMessageBox({ type: 'error', message: menuTexts[this.#language].cannotOpen, detail: message });
    }
  }

  #command(command: ShellCommand): void {
    this.show();
    this.#notify({ kind: 'command', command });
  }

  #notify(notice: ShellNotice): void {
    this.#link?.notify(notice);
  }

  #setAppearance({ theme, language }: ShellCalls['setAppearance']['argument']): void {
    nativeTheme.themeSource = theme;
    this.#remember({ theme, language });
    this.#buildMenu();
  }

  #remember(change: Partial<ShellState>): void {
    this.#state = { ...this.#state, ...change };
    saveShellState(this.#env.stateFile, this.#state);
  }

  #buildMenu(): void {
    const options = { platform: process.platform, language: this.#language, onCommand: (command: ShellCommand) => this.#command(command) };
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(options)));
  }
}
