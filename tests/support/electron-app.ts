import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication } from 'playwright-core';
import type { Display } from './display.ts';
import { childrenOf } from './processes.ts';
import { createHome, type TemporaryHome, type WindowApp, type WindowAppOptions, type WindowKind } from './window-app.ts';

/** The Electron that `npm test` has found or fetched. */
const executable = process.env['LANFLOW_ELECTRON'];
const shell = fileURLToPath(new URL('../../dist/shell/index.cjs', import.meta.url));

export interface ElectronApp extends WindowApp {
  readonly electron: ElectronApplication;
  readonly home: TemporaryHome;
  /** Process of its core; throws while there is none. */
  corePid(): number;
}

export const electronMissing = executable ? '' : 'Electron';

/** What every Electron of a test is started with. */
export function electronFlags({ folder }: TemporaryHome): string[] {
  // As root, which tests may be, Chromium refuses to run with its sandbox.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return [...sandbox, `--user-data-dir=${join(folder, 'electron')}`];
}

export function electronArguments(home: TemporaryHome, args: readonly string[]): string[] {
  return [shell, ...electronFlags(home), ...args];
}

/** For code that only runs inside tests that need it. */
export function requireElectron(): string {
  if (!executable) throw new Error('No Electron: set LANFLOW_ELECTRON, or run npm test');
  return executable;
}

/** The desktop app on a display; its window is there, its page loaded. */
export async function openElectron(display: Display, { args = [], home: given }: WindowAppOptions = {}): Promise<ElectronApp> {
  const home = given ?? createHome();
  const electron = await _electron.launch({
    executablePath: requireElectron(),
    args: electronArguments(home, args),
    env: { ...process.env, ...home.env, DISPLAY: display.name },
  });
  return electronApp(electron, home, !given);
}

/** `ownsHome`: the home goes with the app. */
export async function electronApp(electron: ElectronApplication, home: TemporaryHome, ownsHome: boolean): Promise<ElectronApp> {
  const page = await electron.firstWindow();
  return {
    electron,
    page,
    home,
    dataFolder: join(home.folder, 'data'),
    corePid: () => coreAmong(childrenOf(electron.process().pid ?? 0)),
    saved: (act) => saved(electron, home, act),
    close: async () => {
      await electron.close();
      if (ownsHome) home.remove();
    },
  };
}

function coreAmong(children: ReturnType<typeof childrenOf>): number {
  const core = children.find(({ command }) => command.includes('core/index.js'));
  if (!core) throw new Error('The shell has no core');
  return core.pid;
}

/** Answers the save dialog with a path in the home of the test. */
async function saved(electron: ElectronApplication, { folder }: TemporaryHome, act: () => Promise<void>): ReturnType<WindowApp['saved']> {
  const asked = electron.evaluate(
    ({ dialog }, target) =>
      new Promise<string>((resolve) => {
        dialog.showSaveDialog = async (...args: unknown[]) => {
          const { defaultPath } = args.at(-1) as { defaultPath: string };
          const filePath = `${target}/${defaultPath}`;
          setImmediate(resolve, filePath);
          return { canceled: false, filePath };
        };
      }),
    folder,
  );
  await act();
  const path = await asked;
  return { name: basename(path), content: readFileSync(path) };
}

/** The desktop as one of the kinds of window that a suite runs in. */
export function electronKind(display: () => Display): WindowKind {
  return { name: 'Electron', missing: electronMissing, open: (options) => openElectron(display(), options) };
}
