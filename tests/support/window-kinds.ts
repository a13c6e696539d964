import { browserKind } from './browser-app.ts';
import type { Display } from './display.ts';
import { electronKind } from './electron-app.ts';
import type { WindowKind } from './window-app.ts';

/**
 * The windows in which a screen is tried. Electron's, the oldest engine that Lanflow meets, always; the newest, Chromium, too where
 * there is no Electron, or with LANFLOW_WINDOWS=all, as `npm run test:e2e` has it. Journeys use both.
 */
export function windowKinds(display: () => Display): readonly WindowKind[] {
  const electron = electronKind(display);
  return process.env['LANFLOW_WINDOWS'] === 'all' || electron.missing !== '' ? [electron, browserKind] : [electron];
}
