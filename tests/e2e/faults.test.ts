import { connect } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Display, startDisplay } from '../support/display.ts';
import { type ElectronApp, electronMissing, openElectron } from '../support/electron-app.ts';
import { processesWith } from '../support/processes.ts';
import { withWindow } from '../support/window-app.ts';

describe.skipIf(electronMissing)(withWindow({ name: 'when something fails, the desktop app', missing: electronMissing }), () => {
  let display: Display;
  let app: ElectronApp;

  beforeAll(async () => {
    display = await startDisplay();
  });
  afterEach(() => app.close());
  afterAll(() => display.stop());

  /** The demo in a new app, with a value on its plot. */
  async function startDemo(): Promise<Page> {
    app = await openElectron(display, { args: ['--demo'] });
    await app.page.waitForURL(/#\/runs\/.+/);
    await varOnPlot(app.page).waitFor();
    return app.page;
  }

  /** Resolves when another core runs. */
  async function killCore(): Promise<void> {
    const killed = app.corePid();
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => app.corePid(), { timeout: 10_000 }).not.toBe(killed);
  }

  it('says that its core was killed, keeps what was recorded, and can run again', async () => {
    const page = await startDemo();
    // What was sampled in the last second before may be lost.
    await page.getByRole('button', { name: /^var\b.*\b([4-9]|10)$/ }).waitFor();
    await killCore();
    await page.getByText('Lanflow ended while this run went on').waitFor();
    await varOnPlot(page).waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('Finished', { exact: true }).first().waitFor();
  });

  it('lets the user decide when its core ends again right after it was restarted', async () => {
    app = await openElectron(display);
    const { page } = app;
    await page.getByText('Watch a cluster train').waitFor();
    await killCore();
    await page.getByText('Connected', { exact: true }).waitFor();
    process.kill(app.corePid(), 'SIGKILL');
    await page.getByText('The core has ended, and its tasks with it.').waitFor();
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(app.corePid()).toBeGreaterThan(0);
  });

  it('keeps a run and its plot when the window is loaded again', async () => {
    const page = await startDemo();
    await page.reload();
    await varOnPlot(page).waitFor();
    await page.getByText('Finished', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: /^var\b.*\b10$/ }).waitFor();
  });

  it('loads the page again when its process dies', async () => {
    app = await openElectron(display);
    const title = await app.electron.evaluate(async ({ BrowserWindow }) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      const loaded = new Promise<void>((resolve) => contents?.once('did-finish-load', () => resolve()));
      contents?.forcefullyCrashRenderer();
      await loaded;
      return contents?.executeJavaScript('document.title');
    });
    expect(title).toBe('Home · Lanflow');
  });

  it('leaves no process and no open port when its shell is killed', async () => {
    await startDemo();
    const ports = processesWith(app.home.folder).flatMap(({ command }) =>
      [...command.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port)),
    );
    expect(new Set(ports).size).toBe(3);
    app.electron.process().kill('SIGKILL');
    await expect.poll(() => processesWith(app.home.folder), { timeout: 5000 }).toEqual([]);
    for (const port of new Set(ports)) expect(await answers(port)).toBe(false);
  });
});

/** What the plot says of var, once it has been added to. */
function varOnPlot(page: Page): Locator {
  return page.getByRole('button', { name: /^var\b.*[1-9]\d*$/ });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.once('error', () => resolve(false));
  });
}
