import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BrowserWindow, nativeTheme, session, type WebContents, type WebPreferences } from 'electron';
import { failedPrecondition, unavailable } from '#proto/wire/status.ts';
import { PAGE_URL, servesWindow, serveWindow } from '../app/app-protocol.ts';
import { guardSession } from '../app/guard.ts';
import { PageLink } from '../app/page-link.ts';
import { createShellCalls } from '../app/shell-calls.ts';
import { guardPage, pagePreferences } from '../app/window.ts';
import type { EmbeddedCore } from './embedded-core.ts';
import type { Theme } from './options.ts';

export interface PageEnv {
  readonly core: EmbeddedCore;
  readonly contents: WebContents;
  /** In front of which dialogs open: the window that shows the page now. */
  readonly window: () => BrowserWindow | undefined;
}

const preload = join(__dirname, '..', 'shell', 'preload.cjs');

/**
 * What Electron must know of a page before it is made. It has a session of its own: the content policy and the refusal of all
 * permissions and of everything from outside are for Lanflow's page only. Each data folder has its own storage.
 */
export function preparePage(dataFolder: string, windowFiles: string): WebPreferences {
  const partition = `persist:lanflow-${createHash('sha256').update(dataFolder).digest('hex').slice(0, 8)}`;
  const own = session.fromPartition(partition);
  if (!servesWindow(own.protocol)) {
    guardSession(own);
    serveWindow(own.protocol, windowFiles);
  }
  return pagePreferences(preload, partition);
}

/** Connects a page with the core and loads it. Rejects when it cannot be loaded. */
export async function openPage({ core, contents, window }: PageEnv): Promise<void> {
  guardPage(contents);
  const link = new PageLink({
    contents,
    core: core.shared,
    answer: createShellCalls({
      get window() {
        return shownIn(window() ?? BrowserWindow.fromWebContents(contents));
      },
      // Theme and menus of the host are the host's.
      setAppearance: () => undefined,
      restartCore: () => core.shared.start(),
    }),
  });
  const unwatch = core.watch({
    onStarted: () => link.notify({ kind: 'coreStarted' }),
    onEnded: (reason, restarts) => link.notify({ kind: 'coreEnded', reason, restarts }),
  });
  contents.once('destroyed', unwatch);
  await contents.loadURL(PAGE_URL).catch((error: Error) => {
    throw unavailable(`The page of Lanflow cannot be loaded: ${error.message}`, { cause: error });
  });
  // Of a scheme that Electron does not know as standard, a page has no origin, and none of its scripts are loaded.
  if ((await contents.executeJavaScript('location.origin')) === 'null')
    throw failedPrecondition(
      'Lanflow is missing among the privileged schemes: call protocol.registerSchemesAsPrivileged([lanflowScheme, …]) before app is ready',
    );
}

export function isDark(theme: Theme | undefined): boolean {
  return theme === 'dark' || (theme !== 'light' && nativeTheme.shouldUseDarkColors);
}

function shownIn(window: BrowserWindow | null | undefined): BrowserWindow {
  if (window) return window;
  throw failedPrecondition('The view of Lanflow is in no window');
}
