import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { _electron } from 'playwright-core';
import type { Display } from './display.ts';
import { type ElectronApp, electronApp, electronFlags, requireElectron } from './electron-app.ts';
import { createHome, type TemporaryHome } from './window-app.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The packaged build in a folder far from the repository. */
export interface PackagedBuild {
  /** What menus and links start. */
  readonly executable: string;
  /** Folder of what runs outside of Electron. */
  readonly parts: string;
  /** Environment in which nothing of the repository, and no program at all, is found. */
  env(home: TemporaryHome): Record<string, string>;
  open(display: Display, options?: { readonly args?: readonly string[]; readonly home?: TemporaryHome }): Promise<ElectronApp>;
  remove(): void;
}

/** Packages what is built, as `npm run package` does. Linux. */
export async function packageBuild(): Promise<PackagedBuild> {
  const env = { ...process.env, LANFLOW_ELECTRON: requireElectron() };
  await promisify(execFile)(process.execPath, ['scripts/package.mjs', '--built'], { cwd: root, env });
  const folder = mkdtempSync(join(tmpdir(), 'lanflow-packaged-'));
  cpSync(join(root, 'dist-package', 'linux-unpacked'), join(folder, 'app'), { recursive: true });
  const emptyPath = join(folder, 'empty');
  mkdirSync(emptyPath);
  const executable = join(folder, 'app', 'lanflow');
  const environment = ({ folder: home }: TemporaryHome) => ({ HOME: home, PATH: emptyPath, LANG: 'en_US.UTF-8' });
  return {
    executable,
    parts: join(folder, 'app', 'resources', 'lanflow'),
    env: environment,
    open: async (display, { args = [], home: given } = {}) => {
      const home = given ?? createHome();
      const electron = await _electron.launch({
        executablePath: executable,
        args: [...electronFlags(home), ...args],
        env: { ...environment(home), LANFLOW_DATA: join(home.folder, 'data'), DISPLAY: display.name },
      });
      return electronApp(electron, home, !given);
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
