import { isAbsolute } from 'node:path';
import type { BrowserWindowConstructorOptions } from 'electron';
import type { Settings } from '#proto/ipc/contract.ts';
import { invalidArgument, type StatusError } from '#proto/wire/status.ts';

/** `system` follows the host's `nativeTheme`. */
export type Theme = Settings['theme'];
/** `system` follows the host's locale. */
export type Language = Settings['language'];

/** A program of the host, as the gallery shows it. */
export interface HostProgram {
  /** Whole path of a module (.ts, .js) with a program as its default export, or of a graph (.lanflow.json, .pb, .pbtxt). */
  readonly path: string;
  readonly title: string;
}

export interface CoreOptions {
  /** Where runs, settings and logs are kept; by default where the Lanflow app keeps them. */
  readonly dataFolder?: string;
  /** Decided by the host; by default the user's own choice in the settings, which follows the host at first. */
  readonly theme?: Theme;
  /** Likewise. */
  readonly language?: Language;
  /** In the gallery before the samples. */
  readonly programs?: readonly HostProgram[];
  /** Path of a Node 20 or newer that runs the core; by default the one that a packaged Lanflow brings, else `node` on the PATH. */
  readonly node?: string;
  /** What goes wrong later on: the core has ended (it is started again once a minute), a page cannot be loaded. */
  readonly onError?: (error: StatusError) => void;
}

export interface WindowOptions {
  /** What the window looks like. Its `webPreferences` are Lanflow's own. */
  readonly window?: Omit<BrowserWindowConstructorOptions, 'webPreferences' | 'show'>;
}

const themes: readonly Theme[] = ['system', 'light', 'dark'];
const languages: readonly Language[] = ['system', 'en', 'zh-CN'];

/** INVALID_ARGUMENT names the option that is wrong: plain JavaScript has no compiler to do it. */
export function checkOptions({ dataFolder, theme, language, programs = [], node }: CoreOptions): void {
  if (dataFolder !== undefined) checkPath(dataFolder, 'dataFolder');
  if (theme !== undefined) checkTheme(theme);
  if (language !== undefined) checkLanguage(language);
  if (node !== undefined && typeof node !== 'string') throw invalidArgument('node must be the path of a Node 20 or newer');
  if (!Array.isArray(programs)) throw invalidArgument('programs must be a list of { path, title }');
  for (const [index, { path, title }] of programs.entries()) {
    checkPath(path, `programs[${index}].path`);
    if (typeof title !== 'string' || title === '') throw invalidArgument(`programs[${index}].title must be a text`);
  }
}

export function checkTheme(theme: Theme): void {
  if (!themes.includes(theme)) throw invalidArgument(`theme must be one of ${themes.join(', ')}, not '${theme}'`);
}

export function checkLanguage(language: Language): void {
  if (!languages.includes(language)) throw invalidArgument(`language must be one of ${languages.join(', ')}, not '${language}'`);
}

function checkPath(path: unknown, name: string): void {
  if (typeof path !== 'string' || !isAbsolute(path)) throw invalidArgument(`${name} must be a whole path, not '${String(path)}'`);
}
