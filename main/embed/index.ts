/**
 * Lanflow inside another Electron application (22 and newer): package export `lanflow/embed`.
 *
 *     const { app, protocol } = require('electron');
 *     const { lanflowScheme, openWindow } = require('lanflow/embed');
 *     protocol.registerSchemesAsPrivileged([lanflowScheme]);
 *     app.whenReady().then(() => openWindow({ theme: 'dark' }));
 *
 * Nothing of the host is touched: no menu, no theme, no default session, no handler of its `app`. When the host ends, however it
 * does, the core sees it and ends with everything that it has started.
 */
import { resolve } from 'node:path';
import { app, type BrowserView, type BrowserWindow, type CustomScheme, type WebContentsView, type WebPreferences } from 'electron';
import type { CallName, Calls, EventName, Events } from '#proto/ipc/contract.ts';
import { alreadyExists, failedPrecondition } from '#proto/wire/status.ts';
import { windowScheme } from '../app/app-protocol.ts';
import { findParts } from '../app/built-parts.ts';
import type { ArgumentOf } from './core-calls.ts';
import { EmbeddedCore } from './embedded-core.ts';
import { EmbeddedView, type Place } from './embedded-view.ts';
import { openEmbeddedWindow } from './embedded-window.ts';
import { type CoreOptions, checkOptions, type Language, type Theme, type WindowOptions } from './options.ts';
import { preparePage } from './page.ts';

export type { CallName, Calls, EventName, Events } from '#proto/ipc/contract.ts';
export { Code, StatusError } from '#proto/wire/status.ts';
export type { Place } from './embedded-view.ts';
export type { CoreOptions, HostProgram, Language, Theme, WindowOptions } from './options.ts';

/** For `protocol.registerSchemesAsPrivileged`, together with the host's own: Electron takes the list once, before it is ready. */
export const lanflowScheme: CustomScheme = windowScheme;

/** A core, with or without windows. */
export interface Lanflow {
  /** Any call of the contract. Rejects with the StatusError of the core, or UNAVAILABLE when it ends before it answers. */
  call<N extends CallName>(name: N, ...argument: ArgumentOf<N>): Promise<Calls[N]['result']>;
  /** Hears all events of that name until the returned function is called. */
  on<N extends EventName>(name: N, listener: (payload: Events[N]) => void): () => void;
  /** A window of Lanflow's own. Electron must be ready. */
  openWindow(options?: WindowOptions): Promise<BrowserWindow>;
  /** Lanflow for a window of the host; `attach` shows it. Electron must be ready. */
  createView(): Promise<LanflowView>;
  /** In all windows and views of this core, at once. */
  setTheme(theme: Theme): Promise<void>;
  setLanguage(language: Language): Promise<void>;
  /** Starts a core that has ended and was not started again by itself. */
  restart(): void;
  /** Closes its windows and views, stops its runs and tasks; resolves when no process is left. */
  close(): Promise<void>;
}

export interface LanflowView {
  readonly view: BrowserView | WebContentsView;
  /** Shows it in a window, over the whole content when no place is given. */
  attach(window: BrowserWindow, place?: Place): void;
  /** Takes it out of its window; it goes on unseen. */
  detach(): void;
  /** For good. The core goes on. */
  destroy(): void;
}

/** Data folders of the cores of this process. */
const opened = new Set<string>();

/** Starts a core without a window. Rejects with UNAVAILABLE when it cannot be started, ALREADY_EXISTS for a data folder in use here. */
export async function startCore(options: CoreOptions = {}): Promise<Lanflow> {
  checkOptions(options);
  const given = options.dataFolder ?? process.env['LANFLOW_DATA'];
  const dataFolder = given ? resolve(given) : "the user's own";
  if (opened.has(dataFolder))
    throw alreadyExists(`Lanflow is open already with this data folder (${dataFolder}): use openWindow or createView of that core`);
  opened.add(dataFolder);
  const { resourcesPath, platform } = process;
  const node = options.node ?? process.env['LANFLOW_NODE'];
  const parts = findParts({ folder: __dirname, resources: resourcesPath, platform, node });
  try {
    return lanflow(
      await EmbeddedCore.start(options, parts),
      () => preparePage(dataFolder, parts.window),
      () => opened.delete(dataFolder),
    );
  } catch (error) {
    opened.delete(dataFolder);
    throw error;
  }
}

/** Starts a core and opens a window on it; the core ends with that window. */
export async function openWindow(options: CoreOptions & WindowOptions = {}): Promise<Lanflow & { readonly window: BrowserWindow }> {
  const { window: own, ...coreOptions } = options;
  requireReady('openWindow');
  const core = await startCore(coreOptions);
  const window = await orClose(core, core.openWindow(own && { window: own }));
  window.once('closed', () => void core.close());
  return { ...core, window };
}

/** Starts a core and makes a view on it; the core ends when the view is destroyed. */
export async function createView(options: CoreOptions = {}): Promise<Lanflow & LanflowView> {
  requireReady('createView');
  const core = await startCore(options);
  const view = await orClose(core, core.createView());
  view.view.webContents.once('destroyed', () => void core.close());
  return { ...core, ...view };
}

function lanflow(core: EmbeddedCore, prepare: () => WebPreferences, onClosed: () => void): Lanflow {
  return {
    call: (name, ...argument) => core.call(name, ...argument),
    on: (name, listener) => core.on(name, listener),
    openWindow: async (options = {}) => {
      requireReady('openWindow');
      return openEmbeddedWindow(core, prepare(), options);
    },
    createView: async () => {
      requireReady('createView');
      const view = new EmbeddedView(core, prepare());
      await view.load(core).catch((error: unknown) => {
        view.destroy();
        throw error;
      });
      return {
        view: view.view,
        attach: (window, place) => view.attach(window, place),
        detach: () => view.detach(),
        destroy: () => view.destroy(),
      };
    },
    setTheme: (theme) => core.setTheme(theme),
    setLanguage: (language) => core.setLanguage(language),
    restart: () => core.shared.start(),
    close: async () => {
      await core.close();
      onClosed();
    },
  };
}

function requireReady(what: string): void {
  if (app.isReady()) return;
  throw failedPrecondition(`Electron is not ready: call ${what} after app.whenReady()`);
}

async function orClose<T>(core: Lanflow, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    await core.close();
    throw error;
  }
}
