import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BrowserView, BrowserWindow } from 'electron';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Lanflow, LanflowView, startCore as startEmbeddedCore } from '../../main/embed/index.ts';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { type ElectronHost, openHost } from '../support/electron-host.ts';
import { processesWith } from '../support/processes.ts';
import { withWindow } from '../support/window-app.ts';

/** What the hosts show of themselves, in their own process. */
declare const lanflow: Lanflow & { readonly window: BrowserWindow };
declare const startCore: typeof startEmbeddedCore;
declare const host: {
  readonly window: BrowserWindow;
  readonly lanflow: Lanflow & LanflowView;
  readonly states: ReadonlySet<string>;
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const PLAIN = 'tests/e2e/hosts/plain/main.cjs';
const TYPESCRIPT = '.cache/hosts/typescript';

let display: Display;
let app: ElectronHost;

async function pageOfLanflow({ electron }: ElectronHost): Promise<Page> {
  const isOwn = (page: Page): boolean => page.url().startsWith('app://lanflow/');
  await expect.poll(() => electron.windows().some(isOwn), { timeout: 20_000 }).toBe(true);
  const page = electron.windows().find(isOwn);
  if (!page) throw new Error('Lanflow has no page');
  await page.locator('h1').first().waitFor();
  return page;
}

/** What the plot says of a variable. */
function onPlot(page: Page, text: RegExp): Locator {
  return page.getByRole('button', { name: text });
}

const isDark = (page: Page): Promise<unknown> => page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`);
const chosenTheme = (page: Page): Promise<unknown> => page.evaluate(`document.documentElement.dataset.theme ?? 'system'`);

function listening({ home }: ElectronHost): readonly number[] {
  const commands = processesWith(home.folder).map(({ command }) => command);
  return [...new Set(commands.flatMap((command) => [...command.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))))];
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.once('error', () => resolve(false));
  });
}

describe.skipIf(electronMissing)(withWindow({ name: 'embedded in a host', missing: electronMissing }), () => {
  beforeAll(async () => {
    display = await startDisplay();
    await promisify(execFile)(
      process.execPath,
      ['node_modules/typescript/bin/tsc', '-p', 'tests/e2e/hosts/typescript', '--outDir', TYPESCRIPT],
      {
        cwd: root,
      },
    );
  });
  afterEach(() => app.close());
  afterAll(() => display.stop());

  describe('of plain JavaScript, Lanflow', () => {
    it('opens in a window, runs its demo to the end, and leaves nothing when the host quits', async () => {
      app = await openHost(display, PLAIN);
      const page = await pageOfLanflow(app);
      await page.getByRole('button', { name: 'Run the demo' }).first().click();
      await onPlot(page, /^var\b.*[1-9]\d*$/).waitFor();
      const ports = listening(app);
      expect(ports).toHaveLength(3);
      await onPlot(page, /^var\b.*\b10$/).waitFor();
      await app.electron.evaluate(({ app: electron }) => electron.quit());
      await expect.poll(() => processesWith(app.home.folder), { timeout: 5000 }).toEqual([]);
      for (const port of ports) expect(await answers(port)).toBe(false);
    });

    it('leaves nothing when the host is killed, nor when only its window is closed', async () => {
      app = await openHost(display, PLAIN);
      await pageOfLanflow(app);
      app.electron.process().kill('SIGKILL');
      await expect.poll(() => processesWith(app.home.folder), { timeout: 5000 }).toEqual([]);
      app.home.remove();

      app = await openHost(display, PLAIN);
      await (await pageOfLanflow(app)).close();
      await expect.poll(() => processesWith(app.home.folder), { timeout: 5000 }).toEqual([]);
    });

    it('follows the theme and language of the host, or what the host decides, at once', async () => {
      app = await openHost(display, PLAIN);
      const page = await pageOfLanflow(app);
      // Playwright's own choice would count more than the host's.
      await page.emulateMedia({ colorScheme: null });
      for (const theme of ['dark', 'light'] as const) {
        await app.electron.evaluate(({ nativeTheme }, wanted) => {
          nativeTheme.themeSource = wanted;
        }, theme);
        await expect.poll(() => isDark(page)).toBe(theme === 'dark');
      }
      await app.electron.evaluate(() => Promise.all([lanflow.setTheme('dark'), lanflow.setLanguage('zh-CN')]));
      await expect.poll(() => chosenTheme(page)).toBe('dark');
      await page.evaluate(`location.hash = '#/settings'`);
      await page.getByText('深色（由嵌入 Lanflow 的应用设定）').waitFor();
      expect(await app.electron.evaluate(({ nativeTheme }) => nativeTheme.themeSource)).toBe('light');
    });

    it('has the host’s program in its gallery, and runs it', async () => {
      app = await openHost(display, PLAIN);
      const page = await pageOfLanflow(app);
      await page.evaluate(`location.hash = '#/programs'`);
      const list = page.getByRole('list', { name: 'From this application' });
      await list.getByRole('link', { name: 'Count to three' }).click();
      const run = await app.electron.evaluate(async () => {
        const [first] = await lanflow.call('programs.list');
        const started = await lanflow.call('runs.start', { program: first?.name ?? '' });
        return { title: started.title, id: started.id };
      });
      expect(run.title).toBe('Count to three');
      await page.evaluate(`location.hash = '#/runs/${run.id}'`);
      await onPlot(page, /^count\b.*\b3$/).waitFor();
    });

    it('leaves the host’s menu, theme, session and app as they were', async () => {
      app = await openHost(display, PLAIN);
      await pageOfLanflow(app);
      const host = await app.electron.evaluate(({ app: electron, Menu, nativeTheme, protocol }) => ({
        menu: Menu.getApplicationMenu()?.items[0]?.label,
        theme: nativeTheme.themeSource,
        serves: protocol.isProtocolRegistered('app'),
        quitListeners: electron.listenerCount('will-quit') + electron.listenerCount('before-quit'),
      }));
      expect(host).toEqual({ menu: 'File', theme: 'system', serves: false, quitListeners: 0 });
    });
  });

  describe('of TypeScript, Lanflow', () => {
    const open = async (): Promise<Page> => {
      app = await openHost(display, `${TYPESCRIPT}/main.cjs`);
      return pageOfLanflow(app);
    };

    it('is a part of the host’s window, in the theme and language of the host, and follows its size', async () => {
      const page = await open();
      await page.getByText('首页').first().waitFor();
      expect(await chosenTheme(page)).toBe('dark');
      const bounds = () => app.electron.evaluate(() => (host.lanflow.view as BrowserView).getBounds());
      const content = () => app.electron.evaluate(() => host.window.getContentSize());
      const [width = 0, height = 0] = await content();
      expect(await bounds()).toEqual({ x: 0, y: 48, width, height: height - 48 });
      await app.electron.evaluate(() => host.window.setContentSize(1000, 700));
      await expect.poll(bounds).toEqual({ x: 0, y: 48, width: 1000, height: 652 });
    });

    it('runs what the host starts, and tells it', async () => {
      const page = await open();
      const run = await app.electron.evaluate(async () => (await host.lanflow.call('runs.start', { program: 'ps-workers' })).id);
      await page.evaluate(`location.hash = '#/runs/${run}'`);
      await onPlot(page, /^var\b.*\b10$/).waitFor();
      await expect.poll(() => app.electron.evaluate(() => [...host.states]), { timeout: 20_000 }).toContain('finished');
    });

    it('ends with its view, and leaves the host’s window', async () => {
      await open();
      await app.electron.evaluate(() => host.lanflow.close());
      await expect
        .poll(() => processesWith(app.home.folder).filter(({ command }) => command.includes('core/index.js')), { timeout: 5000 })
        .toEqual([]);
      expect(await app.electron.evaluate(() => host.window.webContents.getTitle())).toBe('Host');
      await expect(app.electron.evaluate(() => host.lanflow.call('app.info'))).rejects.toThrow('closed by the host application');
    });

    it('says what is wrong: a folder in use, a Node that is missing or too old, an option', async () => {
      await open();
      const old = join(app.home.folder, 'node');
      writeFileSync(old, '#!/bin/sh\necho v16.17.1\n');
      chmodSync(old, 0o755);
      const fails = (options: object) =>
        app.electron
          .evaluate((_, given) => startCore(given), options)
          .then(
            () => 'started',
            (error: Error) => error.message,
          );
      expect(await fails({ dataFolder: join(app.home.folder, 'electron', 'lanflow') })).toContain('is open already');
      const dataFolder = join(app.home.folder, 'second');
      expect(await fails({ dataFolder, node: '/nowhere/node' })).toContain("'/nowhere/node' is no Node that runs here");
      expect(await fails({ dataFolder, node: old })).toContain(
        "is Node v16.17.1: give the path of a Node 20 or newer as the option 'node'",
      );
      expect(await fails({ dataFolder: 'relative' })).toContain("dataFolder must be a whole path, not 'relative'");
      expect(await fails({ dataFolder, theme: 'pink' })).toContain("theme must be one of system, light, dark, not 'pink'");
    });
  });

  it('says what a careless host has forgotten: to wait for Electron, to register the scheme', async () => {
    const careless = '.cache/hosts/careless.cjs';
    writeFileSync(
      join(root, careless),
      `const { app } = require('electron');
      const { openWindow } = require('lanflow/embed');
      const dataFolder = require('node:path').join(app.getPath('userData'), 'lanflow');
      globalThis.errors = [];
      const open = () => openWindow({ dataFolder }).catch(({ message }) => errors.push(message));
      open();
      app.whenReady().then(open);
      app.on('window-all-closed', () => {});`,
    );
    app = await openHost(display, careless);
    const errors = () => app.electron.evaluate(() => (globalThis as unknown as { errors: string[] }).errors);
    await expect.poll(async () => (await errors()).length, { timeout: 20_000 }).toBe(2);
    expect((await errors())[0]).toBe('Electron is not ready: call openWindow after app.whenReady()');
    expect((await errors())[1]).toContain('call protocol.registerSchemesAsPrivileged([lanflowScheme, …]) before app is ready');
    await expect
      .poll(() => processesWith(app.home.folder).some(({ command }) => command.includes('core/index.js')), { timeout: 5000 })
      .toBe(false);
  });
});
