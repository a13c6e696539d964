import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserKind } from '../support/browser-app.ts';
import { type Display, startDisplay } from '../support/display.ts';
import { electronKind, electronMissing } from '../support/electron-app.ts';
import { type WindowApp, withWindow } from '../support/window-app.ts';

/** For people to look at. */
const screenshots = fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url));

/** Notes what breaks the content security policy, from before the page's own code on. */
const watchPolicy = `globalThis.brokenPolicies = [];
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => brokenPolicies.push(violatedDirective + ' ' + blockedURI));`;

const themes = ['light', 'dark'] as const;
const firstLaunch = ['home', 'cluster', 'programs', 'runs', 'trace', 'settings'];

let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
  mkdirSync(screenshots, { recursive: true });
});
afterAll(() => display?.stop());

for (const kind of [electronKind(() => display), browserKind]) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let app: WindowApp;

    beforeAll(async () => {
      app = await kind.open();
      await app.page.addInitScript(watchPolicy);
      await app.page.reload();
    });
    afterAll(() => app.close());

    /** What axe minds on each screen in each theme; a screenshot of each is left behind. */
    async function inspect(state: string, screens: readonly string[]): Promise<Readonly<Record<string, readonly string[]>>> {
      const found: Record<string, readonly string[]> = {};
      for (const theme of themes) {
        await app.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        for (const screen of screens) {
          await goTo(app.page, screen);
          const name = [kind.name, theme, state, ...screen.split('/').slice(0, 1)].join('-').toLowerCase();
          await app.page.screenshot({ path: join(screenshots, `${name}.png`) });
          const { violations } = await new AxeBuilder({ page: app.page }).setLegacyMode(kind.name === 'Electron').analyze();
          if (violations.length > 0) found[name] = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
        }
      }
      return found;
    }

    it('has nothing that axe minds on any screen at the first launch', async () => {
      expect(await inspect('empty', firstLaunch)).toEqual({});
    });

    it('has nothing that axe minds on any screen that a run or a cluster has filled', async () => {
      const run = await runDemo(app.page);
      await startCluster(app.page);
      expect(await inspect('used', ['home', 'cluster', 'runs', 'trace'])).toEqual({});
      expect(await inspect('run', [`runs/${run}`])).toEqual({});
    });

    it('has kept to its content security policy on all of them', async () => {
      expect(await app.page.evaluate('brokenPolicies')).toEqual([]);
    });
  });
}

/** Shows a screen; resolves when it is drawn. */
async function goTo(page: Page, screen: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${screen}'`);
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))');
}

/** The id of the finished run. */
async function runDemo(page: Page): Promise<string> {
  await goTo(page, 'home');
  await page.getByRole('button', { name: 'Run the demo' }).click();
  await page.waitForURL(/#\/runs\/.+/);
  await page.getByText('Finished', { exact: true }).first().waitFor();
  return page.url().split('/').at(-1) ?? '';
}

async function startCluster(page: Page): Promise<void> {
  await goTo(page, 'cluster');
  await page.getByRole('button', { name: /^1 ps \+ 2 workers/ }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('2 of 2 running').waitFor();
}
