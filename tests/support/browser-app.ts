import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { startChild } from './task-child.ts';
import { createHome, type WindowApp, type WindowAppOptions, type WindowKind } from './window-app.ts';

/** The Chromium or Chrome that `npm test` has found or fetched. */
const executable = process.env['LANFLOW_CHROMIUM'];
const cli = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url));

/** The app as `lanflow web` serves it, in a browser. */
async function openBrowser({ args = [], home: given }: WindowAppOptions = {}): Promise<WindowApp> {
  if (!executable) throw new Error('No Chromium: set LANFLOW_CHROMIUM, or run npm test');
  const home = given ?? createHome();
  const web = startChild({ program: process.execPath, args: [cli, 'web', ...args], env: home.env });
  const line = await web.line((text) => text.startsWith('open '));
  const browser = await chromium.launch({ executablePath: executable, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(line.slice('open '.length));
  return {
    page,
    dataFolder: join(home.folder, 'data'),
    saved: (act) => saved(page, act),
    close: async () => {
      await browser.close();
      web.kill('SIGTERM');
      await web.ended;
      if (!given) home.remove();
    },
  };
}

async function saved(page: Page, act: () => Promise<void>): ReturnType<WindowApp['saved']> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
}

export const browserKind: WindowKind = { name: 'Chromium', missing: executable ? '' : 'Chromium', open: openBrowser };
