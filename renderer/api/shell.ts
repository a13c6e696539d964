import type { OpenedFile, ShellCalls, ShellCommand } from '#proto/ipc/bridge.ts';

/** What a window cannot do by itself: the desktop does it, or the browser. */
export interface Shell {
  /** Lets the user keep a file. Undefined: they changed their mind. */
  saveFile(name: string, content: Uint8Array): Promise<Saved | undefined>;
  /** Lets the user keep several files in one folder. */
  saveFiles(files: readonly NamedFile[]): Promise<Saved | undefined>;
  /** Shows a file or folder in the system's file manager. Absent where there is none to show it: a browser. */
  readonly showInFolder?: (path: string) => Promise<void>;
  /** Lets the user choose a file. `extensions` without the dot. Undefined: they changed their mind. */
  openFile(title: string, extensions: readonly string[]): Promise<ChosenFile | undefined>;
  /** For what the shell itself shows. */
  setAppearance(appearance: ShellCalls['setAppearance']['argument']): Promise<void>;
  /** Hears what is chosen in the native menu. Called once. */
  onCommand(listener: (command: ShellCommand) => void): void;
  /** Hears of files that are opened from outside the window. Called once. */
  onFileOpened(listener: (file: ChosenFile) => void): void;
}

export type ChosenFile = Pick<OpenedFile, 'name' | 'content'>;

export type NamedFile = ShellCalls['saveFiles']['argument']['files'][number];

/** Where it is now; a browser does not say. */
export interface Saved {
  readonly path?: string;
}
