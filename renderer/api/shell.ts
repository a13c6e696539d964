import type { OpenedFile, ShellCalls, ShellCommand } from '#proto/ipc/bridge.ts';

/** What a window cannot do by itself: the desktop does it, or the browser. */
export interface Shell {
  /** Lets the user keep a file. False: they changed their mind. */
  saveFile(name: string, content: Uint8Array): Promise<boolean>;
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
