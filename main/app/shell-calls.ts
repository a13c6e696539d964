import { existsSync } from 'node:fs';
import { basename, isAbsolute } from 'node:path';
import { type BrowserWindow, dialog, shell } from 'electron';
import type { ShellCallName, ShellCalls, ShellReply } from '#proto/ipc/bridge.ts';
import { invalidArgument, notFound, toStatusError } from '#proto/wire/status.ts';
import { readOpenedFile } from './opened-files.ts';
import { writeWholeSync } from './write-whole.ts';

export interface ShellCallsEnv {
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

function createHandlers({ window, setAppearance, restartCore }: ShellCallsEnv): Handlers {
  return {
    saveFile: async (fields) => {
      // A file name only: where it goes is the user's choice.
      const [name, content] = [basename(fields.text('name')), fields.bytes('content')];
      const { filePath } = await dialog.showSaveDialog(window, { defaultPath: name });
      if (!filePath) return null;
      writeWholeSync(filePath, content);
      return { path: filePath };
    },
    openFile: async (fields) => {
      const [title, extensions] = [fields.text('title'), fields.texts('extensions')];
      const filters = extensions.length > 0 ? [{ name: title, extensions: [...extensions] }] : [];
      const { filePaths } = await dialog.showOpenDialog(window, { title, filters, properties: ['openFile'] });
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
      setAppearance({
        theme: fields.oneOf('theme', ['system', 'light', 'dark'] as const),
        language: fields.oneOf('language', ['en', 'zh-CN'] as const),
      });
      return null;
    },
    restartCore: async () => {
      restartCore();
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

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.#values[name]);
    if (found) return found;
    throw invalidArgument(`${name} must be one of ${choices.join(', ')}`);
  }
}
