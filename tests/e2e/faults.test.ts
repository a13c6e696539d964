import { connect } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Display, startDisplay } from '../support/display.ts';
import { type ElectronApp, electronMissing, openElectron } from '../support/electron-app.ts';
import { writeOwnPrograms } from '../support/own-programs.ts';
import { processesWith } from '../support/processes.ts';
import { mountSmallDisk, type SmallDisk, smallDiskMissing } from '../support/small-disk.ts';
import { createHome, type TemporaryHome, withWindow } from '../support/window-app.ts';
import { speak } from '../support/window-walk.ts';

describe.skipIf(electronMissing)(withWindow({ name: 'when something fails, the desktop app', missing: electronMissing }), () => {
  let display: Display;
  let app: ElectronApp;
  /** Only where the test needs one of its own. */
  let home: TemporaryHome | undefined;
  let disk: SmallDisk | undefined;

  beforeAll(async () => {
    display = await startDisplay();
  });
  afterEach(async () => {
    await app.close();
    disk?.remove();
    home?.remove();
    [home, disk] = [undefined, undefined];
  });
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

  it('says that its core was killed, in the language of its user, keeps what was recorded, and can run again', async () => {
    const page = await startDemo();
    const run = page.url();
    // What was sampled in the last second before may be lost.
    await page.getByRole('button', { name: /^var\b.*\b([4-9]|10)$/ }).waitFor();
    await killCore();
    await page.getByText('Lanflow ended while this run went on').waitFor();
    await varOnPlot(page).waitFor();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('Finished', { exact: true }).first().waitFor();
    await speak(page, 'zh-CN');
    await page.goto(run);
    await page.reload();
    await page.getByText('此运行进行期间 Lanflow 已结束').waitFor();
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

  it.each<[string, (running: ElectronApp) => unknown]>([
    ['its shell is killed', ({ electron }) => electron.process().kill('SIGKILL')],
    ['its window is closed', ({ electron }) => electron.close()],
  ])('U09: leaves no process and no open port when %s', async (_how, end) => {
    await startDemo();
    const ports = taskPorts(app.home);
    expect(ports.size).toBe(3);
    await end(app);
    await expect.poll(() => processesWith(app.home.folder), { timeout: 5000 }).toEqual([]);
    for (const port of ports) expect(await answers(port)).toBe(false);
  });

  it('U09: leaves no task and no open port of a task when its core is killed', async () => {
    await startDemo();
    const ports = taskPorts(app.home);
    expect(ports.size).toBe(3);
    await killCore();
    await expect.poll(() => taskPorts(app.home).size, { timeout: 5000 }).toBe(0);
    for (const port of ports) expect(await answers(port)).toBe(false);
  });

  it('stops a program that loops for ever within a second, and can be used meanwhile', async () => {
    home = createHome();
    writeOwnPrograms(home);
    app = await openElectron(display, { home });
    const { page } = app;
    await runOwn(page, 'looping');
    await line(page, /^round and round$/);
    const run = page.url();
    for (const screen of ['Cluster', 'Runs', 'Settings']) {
      const pressed = Date.now();
      await page.getByRole('link', { name: screen }).click();
      await page.getByRole('heading', { name: screen, exact: true, level: 1 }).waitFor();
      expect(Date.now() - pressed).toBeLessThan(2000);
    }
    await page.goto(run);
    const hosts = () => processesWith(app.home.folder).filter(({ command }) => command.includes('program-host'));
    expect(hosts()).toHaveLength(1);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect.poll(hosts, { timeout: 1000, interval: 20 }).toEqual([]);
    await page.getByText('Stopped', { exact: true }).first().waitFor();
  });

  it.skipIf(smallDiskMissing)(
    `${smallDiskMissing && '[needs root] '}says that the disk is full, goes on, and writes all when there is room`,
    async () => {
      home = createHome();
      disk = mountSmallDisk(join(home.folder, 'data'));
      writeOwnPrograms(home);
      app = await openElectron(display, { home });
      await runOwn(app.page, 'counting');
      const run = app.page.url();
      await line(app.page, /^step 3$/);
      // Files that are replaced give room back, so that one filling may not be enough.
      const filling = setInterval(disk.fill, 200);
      try {
        // The log goes on: where little of it is in sight, that is soon out of it.
        await line(app.page, /the disk is full/);
      } finally {
        clearInterval(filling);
      }
      await line(app.page, /^step 15$/);
      disk.clear();
      await line(app.page, /written to disk again/);
      await app.page.getByRole('button', { name: 'Stop', exact: true }).click();
      await app.page.getByText('Stopped', { exact: true }).first().waitFor();
      await app.close();

      app = await openElectron(display, { home });
      await app.page.goto(run);
      for (const text of [/^step 3$/, /^step 9$/, /^step 15$/]) await line(app.page, text);
    },
  );
});

/** Resolves when the log of the run that is shown has such a line. */
async function line(page: Page, text: RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

async function runOwn(page: Page, name: string): Promise<void> {
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.evaluate(`location.hash = '#/programs/own%2F${name}'`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
}

/** Ports that the tasks of an app listen on. */
function taskPorts(home: TemporaryHome): ReadonlySet<number> {
  const commands = processesWith(home.folder).map(({ command }) => command);
  return new Set(commands.flatMap((command) => [...command.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))));
}

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
