import { BrowserWindow, nativeTheme, screen } from 'electron';
import { guardNavigation } from './guard.ts';
import { type ShellState, visibleBounds } from './shell-state.ts';

/** Shown until the page has drawn: the page's own background, so that nothing flashes. */
const background = { light: '#f5f6f8', dark: '#0e1217' };

const DEFAULT_SIZE = { width: 1280, height: 820 };
const MIN_SIZE = { minWidth: 800, minHeight: 560 };

/** The window, empty: the caller loads the page when everything is connected. */
export function createWindow(state: ShellState, preload: string): BrowserWindow {
  const areas = screen.getAllDisplays().map(({ workArea }) => workArea);
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...visibleBounds(state.bounds, areas),
    ...MIN_SIZE,
    title: 'Lanflow',
    show: false,
    backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
    webPreferences: { preload, sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false },
  });
  guardNavigation(window.webContents);
  mendCrashes(window);
  window.once('ready-to-show', () => {
    if (state.maximized) window.maximize();
    window.show();
  });
  return window;
}

/** A page that crashes again this soon would only crash again: the user reloads it by the menu. */
const CALM_MS = 10_000;

/** The core has everything that matters, so a page whose process died is simply loaded again. */
function mendCrashes(window: BrowserWindow): void {
  let lastCrash = Number.NEGATIVE_INFINITY;
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    const isFirst = performance.now() - lastCrash > CALM_MS;
    lastCrash = performance.now();
    if (reason !== 'clean-exit' && isFirst) window.webContents.reload();
  });
}
