import type { BrowserWindow, WebPreferences } from 'electron';
import { createWindow, pageBackground } from '../app/window.ts';
import type { EmbeddedCore } from './embedded-core.ts';
import type { WindowOptions } from './options.ts';
import { isDark, openPage } from './page.ts';

/** Opens a window of Lanflow's own. */
export async function openEmbeddedWindow(
  core: EmbeddedCore,
  webPreferences: WebPreferences,
  { window: own = {} }: WindowOptions,
): Promise<BrowserWindow> {
  const window = createWindow({
    state: { maximized: false },
    webPreferences,
    own: { backgroundColor: pageBackground(isDark(core.theme)), ...own },
  });
  core.onClosed(() => {
    if (!window.isDestroyed()) window.destroy();
  });
  try {
    await openPage({ core, contents: window.webContents, window: () => window });
    return window;
  } catch (error) {
    if (!window.isDestroyed()) window.destroy();
    throw error;
  }
}
