import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The app under test with one window, in the desktop's shell or in a browser. */
export interface WindowApp {
  readonly page: Page;
  /** Folder of runs, settings and whatever else the core keeps. */
  readonly dataFolder: string;
  /** Does what makes the app save a file, and hands over what was saved. */
  saved(act: () => Promise<void>): Promise<SavedFile>;
  /** Ends the app as a user does. */
  close(): Promise<void>;
}

export interface SavedFile {
  readonly name: string;
  readonly content: Buffer;
}

export interface WindowAppOptions {
  /** Further arguments on the command line. */
  readonly args?: readonly string[];
  /** Folder with what was kept by an app before; a new one otherwise. */
  readonly home?: TemporaryHome;
}

/** How a kind of window is started, and why it cannot be had where `missing` is not empty. */
export interface WindowKind {
  readonly name: string;
  readonly missing: '' | 'Electron' | 'Chromium';
  open(options?: WindowAppOptions): Promise<WindowApp>;
}

/** A home of its own for an app: nothing of the user's is read, nothing is left behind. */
export interface TemporaryHome {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

export function createHome(): TemporaryHome {
  const folder = mkdtempSync(join(tmpdir(), 'lanflow-home-'));
  return {
    folder,
    env: { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), LANFLOW_DATA: join(folder, 'data'), LANFLOW_NODE: process.execPath },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** How tests of a window are named, so that `npm test` counts and explains those it skips. */
export function withWindow({ name, missing }: Pick<WindowKind, 'name' | 'missing'>): string {
  return missing ? `[needs ${missing}] ${name}` : name;
}
