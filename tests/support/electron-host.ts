import { fileURLToPath } from 'node:url';
import { _electron, type ElectronApplication } from 'playwright-core';
import type { Display } from './display.ts';
import { electronFlags, requireElectron } from './electron-app.ts';
import { createHome, type TemporaryHome } from './window-app.ts';

/** Another application, with Lanflow in it. */
export interface ElectronHost {
  readonly electron: ElectronApplication;
  readonly home: TemporaryHome;
  close(): Promise<void>;
}

/** Starts the application whose main module this is, by its path in the repository. */
export async function openHost(display: Display, main: string): Promise<ElectronHost> {
  const home = createHome();
  const electron = await _electron.launch({
    executablePath: requireElectron(),
    args: [fileURLToPath(new URL(`../../${main}`, import.meta.url)), ...electronFlags(home)],
    env: { ...process.env, ...home.env, DISPLAY: display.name },
  });
  return {
    electron,
    home,
    close: async () => {
      await electron.close();
      home.remove();
    },
  };
}
