/**
 * What the desktop's shell offers a window besides frames: `window.lanflow`, put there by the preload script. A browser under
 * `lanflow web` has none, and does the same by its own means (download, file input). The shell checks every argument.
 */
export interface ShellBridge {
  /** A frame for the core. While there is no core it is dropped. */
  send(frame: Uint8Array): void;
  /** Starts delivery, in order; nothing is lost before. Called once. */
  listen(listener: ShellListener): void;
  call<N extends ShellCallName>(name: N, argument: ShellCalls[N]['argument']): Promise<ShellReply<N>>;
}

export interface ShellListener {
  onFrame(frame: Uint8Array): void;
  onNotice(notice: ShellNotice): void;
}

/** What the shell tells unasked. */
export type ShellNotice =
  /** A core runs and knows nothing of this window yet: ask it for everything again. */
  | { readonly kind: 'coreStarted' }
  /** The core ended with its tasks and calls. When the shell is not starting another, `restartCore` does. */
  | { readonly kind: 'coreEnded'; readonly reason: string; readonly restarts: boolean }
  /** Chosen in the menu, or on the command line. */
  | { readonly kind: 'command'; readonly command: ShellCommand }
  /** Opened from the file manager or the command line. */
  | { readonly kind: 'fileOpened'; readonly file: OpenedFile };

export type ShellCommand =
  | 'home'
  | 'machines'
  | 'cluster'
  | 'programs'
  | 'draw'
  | 'runs'
  | 'trace'
  | 'settings'
  | 'openFile'
  | 'runDemo'
  | 'commandPalette'
  | RunCommand;

/** What is done with a run: the one that is shown, else the newest that goes on. */
export type RunCommand = 'newRun' | 'pauseOrResumeRun' | 'stepRun' | 'traceNextStep' | 'stopRun';

export interface ShellCalls {
  /** Asks where, then writes it whole or not at all. Null: the user changed their mind. */
  saveFile: { argument: { readonly name: string; readonly content: Uint8Array }; result: { readonly path: string } | null };
  /** Asks for a folder, then writes all files into it; those that are there already are kept, and the new ones numbered. `path`: of the folder. */
  saveFiles: {
    argument: { readonly files: readonly { readonly name: string; readonly content: Uint8Array }[] };
    result: { readonly path: string } | null;
  };
  /** Lets the user choose one file. `extensions` without the dot; any file when empty. */
  openFile: { argument: { readonly title: string; readonly extensions: readonly string[] }; result: OpenedFile | null };
  /** Shows a file or folder of this machine in the file manager. (Links need no call: those to https open in the user's browser.) */
  showInFolder: { argument: { readonly path: string }; result: null };
  /** For the title bar, dialogs and menus. `theme` as in the settings; kept for the next start. */
  setAppearance: {
    argument: { readonly theme: 'system' | 'light' | 'dark'; readonly language: 'en' | 'zh-CN' };
    result: null;
  };
  restartCore: { argument: null; result: null };
}

export type ShellCallName = keyof ShellCalls;

export interface OpenedFile {
  readonly path: string;
  readonly name: string;
  readonly content: Uint8Array;
}

/** Errors cross as data: Electron would keep only their texts. `code` is the number of a canonical code. */
export type ShellReply<N extends ShellCallName> =
  | { readonly ok: true; readonly value: ShellCalls[N]['result'] }
  | { readonly ok: false; readonly code: number; readonly message: string };
