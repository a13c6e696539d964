import { BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, screen, type WebContents, type WebPreferences } from 'electron';
import { guardNavigation } from './guard.ts';
import { type ShellState, visibleBounds } from './shell-state.ts';

/** Shown until the page has drawn: the page's own background, so that nothing flashes. */
const background = { light: '#f5f6f8', dark: '#0e1217' };

const DEFAULT_SIZE = { width: 1280, height: 820 };
const MIN_SIZE = { minWidth: 800, minHeight: 560 };

/** What the page of a window or view may do: nothing but speak with its preload script. */
export function pagePreferences(preload: string, partition?: string): WebPreferences {
  const common = { preload, sandbox: true, contextIsolation: true, nodeIntegration: false, spellcheck: false };
  return partition === undefined ? common : { ...common, partition };
}

export interface WindowOptions {
  readonly state: Pick<ShellState, 'bounds' | 'maximized'>;
  readonly webPreferences: WebPreferences;
  /** Instead of what is usual. */
  readonly own?: BrowserWindowConstructorOptions;
}

/** The window, empty: the caller loads the page when everything is connected. */
export function createWindow({ state, webPreferences, own = {} }: WindowOptions): BrowserWindow {
  const areas = screen.getAllDisplays().map(({ workArea }) => workArea);
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...visibleBounds(state.bounds, areas),
    ...MIN_SIZE,
    title: 'Lanflow',
    backgroundColor: pageBackground(nativeTheme.shouldUseDarkColors),
    ...own,
    show: false,
    webPreferences,
  });
  guardPage(window.webContents);
  window.once('ready-to-show', () => {
    if (state.maximized) window.maximize();
    window.show();
  });
  return window;
}

export function pageBackground(isDark: boolean): string {
  return isDark ? background.dark : background.light;
}

/** Keeps the page where it is, and alive. */
export function guardPage(contents: WebContents): void {
  guardNavigation(contents);
  mendCrashes(contents);
}

/** A page that crashes again this soon would only crash again: the user reloads it by the menu. */
const CALM_MS = 10_000;

/** The core has everything that matters, so a page whose process died is simply loaded again. */
function mendCrashes(contents: WebContents): void {
  let lastCrash = Number.NEGATIVE_INFINITY;
  contents.on('render-process-gone', (_event, { reason }) => {
    const isFirst = performance.now() - lastCrash > CALM_MS;
    lastCrash = performance.now();
    if (reason !== 'clean-exit' && isFirst) contents.reload();
  });
}
