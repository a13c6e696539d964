import { existsSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { type BrowserWindow, dialog, shell } from 'electron';
import type { ShellCallName, ShellCalls, ShellReply } from '#proto/ipc/bridge.ts';
import { invalidArgument, notFound, toStatusError } from '#proto/wire/status.ts';
import { freePath } from './free-path.ts';
import { readOpenedFile } from './opened-files.ts';
import { writeWholeSync } from './write-whole.ts';

export interface ShellCallsEnv {
  /** In front of which dialogs open, at that moment. */
  readonly window: BrowserWindow;
  setAppearance(appearance: ShellCalls['setAppearance']['argument']): void;
  restartCore(): void;
}

type Handlers = { readonly [N in ShellCallName]: (fields: Fields) => Promise<ShellCalls[N]['result']> };

/** Answers one call of the page, which is not believed: its argument is checked field by field. */
export type AnswerShellCall = (name: unknown, argument: unknown) => Promise<ShellReply<ShellCallName>>;

export function createShellCalls(env: ShellCallsEnv): AnswerShellCall {
  const handlers = createHandlers(env);
  return async (name, argument) => {
    try {
      if (typeof name !== 'string' || !Object.hasOwn(handlers, name)) throw invalidArgument(`The shell has no call ${String(name)}`);
      return { ok: true, value: await handlers[name as ShellCallName](new Fields(argument)) };
    } catch (error) {
      const { code, message } = toStatusError(error);
      return { ok: false, code, message };
    }
  };
}

function createHandlers(env: ShellCallsEnv): Handlers {
  return {
    saveFile: async (fields) => {
      // A file name only: where it goes is the user's choice.
      const [name, content] = [basename(fields.text('name')), fields.bytes('content')];
      const { filePath } = await dialog.showSaveDialog(env.window, { defaultPath: name });
      if (!filePath) return null;
      writeWholeSync(filePath, content);
      return { path: filePath };
    },
    saveFiles: async (fields) => {
      const files = fields.files('files');
      const { filePaths } = await dialog.showOpenDialog(env.window, { properties: ['openDirectory', 'createDirectory'] });
      const folder = filePaths[0];
      if (folder === undefined) return null;
      for (const { name, content } of files) writeWholeSync(freePath(folder, name), content);
      return { path: folder };
    },
    openFile: async (fields) => {
      const [title, extensions] = [fields.text('title'), fields.texts('extensions')];
      const filters = extensions.length > 0 ? [{ name: title, extensions: [...extensions] }] : [];
      const { filePaths } = await dialog.showOpenDialog(env.window, { title, filters, properties: ['openFile'] });
      const path = filePaths[0];
      return path === undefined ? null : readOpenedFile(path);
    },
    showInFolder: async (fields) => {
      const path = fields.text('path');
      // A path of another machine would make Windows log in there.
      if (!isAbsolute(path) || path.startsWith('\\\\')) throw invalidArgument(`${path} is no path of this machine`);
      if (!existsSync(path)) throw notFound(`${path} is not there any more`);
      shell.showItemInFolder(path);
      return null;
    },
    setAppearance: async (fields) => {
      env.setAppearance({
        theme: fields.oneOf('theme', ['system', 'light', 'dark'] as const),
        language: fields.oneOf('language', ['en', 'zh-CN'] as const),
      });
      return null;
    },
    restartCore: async () => {
      env.restartCore();
      return null;
    },
  };
}

/** Fields of an argument from the page. */
class Fields {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(argument: unknown) {
    this.#values = typeof argument === 'object' && argument !== null ? (argument as Readonly<Record<string, unknown>>) : {};
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === 'string' && value !== '') return value;
    throw invalidArgument(`${name} must be a text`);
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name];
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
    throw invalidArgument(`${name} must be a list of texts`);
  }

  bytes(name: string): Uint8Array {
    const value = this.#values[name];
    if (value instanceof Uint8Array) return value;
    throw invalidArgument(`${name} must be bytes`);
  }

  /** File names only: the folder is the user's choice. */
  files(name: string): readonly { readonly name: string; readonly content: Uint8Array }[] {
    const values = this.#values[name];
    if (!Array.isArray(values) || values.length === 0) throw invalidArgument(`${name} must be a list of files`);
    return values.map((value) => {
      const fields = new Fields(value);
      return { name: basename(fields.text('name')), content: fields.bytes('content') };
    });
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.#values[name]);
    if (found) return found;
    throw invalidArgument(`${name} must be one of ${choices.join(', ')}`);
  }
}
