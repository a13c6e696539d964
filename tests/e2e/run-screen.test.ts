import AxeBuilder from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { browserKind } from '../support/browser-app.ts';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { type WindowApp, withWindow } from '../support/window-app.ts';
import { windowKinds } from '../support/window-kinds.ts';

let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
});
afterAll(() => display?.stop());

for (const kind of windowKinds(() => display)) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let app: WindowApp;
    let page: Page;

    beforeEach(async () => {
      app = await kind.open();
      ({ page } = app);
      await isReady(page);
    });
    afterEach(() => app.close());

    it('holds a run with Space, goes on step by step, traces the next step, and lets it end right', async () => {
      await startDemo(page);
      await valueOfVar(page).waitFor();
      await page.keyboard.press('Space');
      await page.getByText('Paused', { exact: true }).first().waitFor();
      await isHeld(page);

      const [held, traces] = [await steps(page), await traceCount(page)];
      await page.keyboard.press('t');
      await page.keyboard.press('s');
      // One step of each of the three clients, each traced.
      await expect.poll(() => traceCount(page), { timeout: 10_000 }).toBe(traces + 3);
      await expect.poll(() => steps(page)).toBe(held + 3);

      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('Finished', { exact: true }).first().waitFor();
      await page.getByText('Right result').waitFor();
    });

    it('plots a variable that the user asks for, and remembers the choice', async () => {
      await runWithWatch(page);
      await page.getByRole('button', { name: 'New run…' }).click();
      const dialog = page.getByRole('dialog', { name: 'New run' });
      await dialog.getByRole('button', { name: 'Remove var' }).waitFor();
      await dialog.getByText('1 variable among').waitFor();
      expect((await new AxeBuilder({ page }).setLegacyMode(kind.name === 'Electron').analyze()).violations).toEqual([]);
    });

    it('lays two runs over each other, each with its own name', async () => {
      for (const title of ['slow', 'fast']) {
        await startDemo(page);
        await page.getByText('Finished', { exact: true }).first().waitFor();
        await goTo(page, 'runs');
        await page.getByRole('textbox', { name: 'Run', exact: true }).fill(title);
        await page.getByRole('textbox', { name: 'Note' }).click();
        await page.getByRole('link', { name: title }).waitFor();
      }
      for (const title of ['slow', 'fast']) await page.getByRole('checkbox', { name: `Choose ${title} for comparison` }).check();
      await page.getByRole('button', { name: 'Compare two' }).click();
      for (const title of ['slow', 'fast']) await page.getByRole('button', { name: new RegExp(`^${title}\\b.*\\b10$`) }).waitFor();
      expect(await page.locator('.plot canvas').count()).toBe(1);
    });

    it('says what an export will be before it is saved', async () => {
      await startDemo(page);
      await page.getByText('Finished', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: 'Export…' }).click();
      const dialog = page.getByRole('dialog', { name: /^Export/ });
      await dialog.getByRole('checkbox', { name: /^Series as CSV/ }).check();
      const promised = await dialog.getByText(/\.csv \d+ B$/).textContent();
      const { name, content } = await app.saved(() => dialog.getByRole('button', { name: 'Save 1 file' }).click());
      expect(promised).toBe(`${name} ${content.length} B`);
      expect(content.toString().trim().split('\r\n')).toHaveLength(7);
      await page.getByText(`${name} was saved`).waitFor();
    });
  });
}

describe.skipIf(browserKind.missing)(withWindow(browserKind), () => {
  let app: WindowApp;

  beforeEach(async () => {
    app = await browserKind.open();
    await isReady(app.page);
  });
  afterEach(() => app.close());

  it('saves several formats at once', async () => {
    const { page } = app;
    await startDemo(page);
    await page.getByText('Finished', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Export…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Export/ });
    for (const format of [/^Run bundle/, /^Series as JSON/, /^Trace for Chrome/])
      await dialog.getByRole('checkbox', { name: format }).check();
    const names: string[] = [];
    page.on('download', (download) => names.push(download.suggestedFilename()));
    await dialog.getByRole('button', { name: 'Save 3 files' }).click();
    await expect.poll(() => names.map((name) => name.replace(/^.*?(\.\w+)(?=\.|$)/, '$1')).sort()).toHaveLength(3);
    expect(names.map((name) => name.split('.').at(-1)).sort()).toEqual(['json', 'json', 'lanflowrun']);
  });

  it('U04: names the task that a run waits for, its address and the reason within 5 s, and can be cancelled', async () => {
    const { page } = app;
    await startCluster(page);
    await killTask(page, /^Kill .*worker.*1/);
    await runOnCluster(page);
    const waits = page.getByText(/waiting for \/job:worker\/replica:0\/task:1 at 127\.0\.0\.1:\d+ for \d+ s: .*refused/);
    await waits.first().waitFor();
    const waited = (await waits.allTextContents()).map((text) => Number(/ for (\d+) s: /.exec(text)?.[1]));
    expect(Math.min(...waited)).toBeLessThan(5);
    const pressed = Date.now();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('Stopped', { exact: true }).first().waitFor();
    expect(Date.now() - pressed).toBeLessThan(5000);
  });

  it('U07: says that a task was lost, starts it again, and says that its variables are gone', async () => {
    const { page } = app;
    await startCluster(page);
    await runOnCluster(page);
    await valueOfVar(page).waitFor();
    await page.keyboard.press('Space');
    await page.getByText('Paused', { exact: true }).first().waitFor();
    await isHeld(page);
    const run = page.url();
    await killTask(page, /^Kill .*ps.*0/);
    await page.goto(run);
    await page.getByRole('region', { name: 'Status' }).getByRole('link').waitFor();
    await page.getByText('ps 0 is lost:').waitFor();
    await page.getByRole('button', { name: 'Restart ps 0' }).click();
    await page.getByText('ps 0 restarted, its variables are lost.').waitFor();
    await page.getByRole('button', { name: 'Reinitialize' }).waitFor();
  });
});

/** The page of a browser is loaded twice: its address loses the token. */
async function isReady(page: Page): Promise<void> {
  await page.getByText('Connected', { exact: true }).waitFor();
}

async function goTo(page: Page, screen: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${screen}'`);
}

async function startDemo(page: Page): Promise<void> {
  await goTo(page, 'home');
  await page.getByRole('button', { name: 'Run the demo' }).click();
  await page.waitForURL(/#\/runs\/.+/);
}

/** Runs the demo by its dialog, `var` watched, until a line of the workers' own is on the plot. */
async function runWithWatch(page: Page): Promise<void> {
  const dialog = await openRunDialog(page);
  await dialog.getByRole('combobox', { name: 'Variables to plot' }).fill('var');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
  await page
    .getByRole('button', { name: /worker 1/ })
    .first()
    .waitFor();
}

async function runOnCluster(page: Page): Promise<void> {
  const dialog = await openRunDialog(page);
  await dialog.getByRole('combobox', { name: 'Cluster', exact: true }).selectOption({ index: 1 });
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
}

/** By the command palette, with the demo chosen. */
async function openRunDialog(page: Page): Promise<Locator> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new run');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New run' });
  await dialog.getByRole('combobox', { name: 'Program', exact: true }).selectOption('ps-workers');
  return dialog;
}

async function startCluster(page: Page): Promise<void> {
  await goTo(page, 'cluster');
  await page.getByRole('button', { name: /^1 ps \+ 2 workers/ }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('2 of 2 running').waitFor();
}

async function killTask(page: Page, task: RegExp): Promise<void> {
  await goTo(page, 'cluster');
  await page.getByRole('button', { name: task }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click();
  await page.getByText('lost', { exact: true }).waitFor();
}

function valueOfVar(page: Page): Locator {
  return page.getByRole('button', { name: /^(var|ps 0)\b.*\d$/ }).first();
}

async function steps(page: Page): Promise<number> {
  return Number(/^(\d+) steps?/.exec((await page.getByText(/^\d+ steps?/).textContent()) ?? '')?.[1]);
}

async function traceCount(page: Page): Promise<number> {
  const link = page.getByRole('link', { name: /^\d+ traces?$/ });
  return (await link.count()) === 0 ? 0 : Number.parseInt((await link.textContent()) ?? '', 10);
}

/** Resolves when the steps that were under way have ended. */
async function isHeld(page: Page): Promise<void> {
  const isStill = async () => {
    const before = await steps(page);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return (await steps(page)) === before;
  };
  await expect.poll(isStill, { timeout: 20_000 }).toBe(true);
}
