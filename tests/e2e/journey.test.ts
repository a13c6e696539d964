import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserKind } from '../support/browser-app.ts';
import { slicesInFile, slicesRecorded } from '../support/chrome-trace.ts';
import { type Display, startDisplay } from '../support/display.ts';
import { electronKind, electronMissing } from '../support/electron-app.ts';
import { pressArrowsTo, tabTo } from '../support/keyboard.ts';
import { type WindowApp, withWindow } from '../support/window-app.ts';

let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
});
afterAll(() => display?.stop());

/** How a user reaches things: with the pointer, or with the keyboard alone. */
interface Hand {
  press(page: Page, target: Locator): Promise<void>;
  choose(page: Page, option: Locator): Promise<void>;
}

const pointer: Hand = {
  press: (_page, target) => target.click(),
  choose: (_page, option) => option.locator('xpath=..').click(),
};

const keyboard: Hand = {
  async press(page, target) {
    await tabTo(page, target);
    await page.keyboard.press('Enter');
  },
  choose: pressArrowsTo,
};

for (const kind of [electronKind(() => display), browserKind]) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let app: WindowApp;

    afterEach(() => app.close());

    it.each([
      ['the pointer', pointer],
      ['the keyboard alone', keyboard],
    ])('runs the demo, sees var reach 10, opens its trace and exports it, with %s', async (_name, hand) => {
      app = await kind.open();
      const { page } = app;

      await hand.press(page, page.getByRole('button', { name: 'Run the demo' }));
      await page.waitForURL(/#\/runs\/.+/);
      await page.getByText('Finished', { exact: true }).first().waitFor();
      await page.getByRole('button', { name: /^var\b.*\b10$/ }).waitFor();
      await hand.choose(page, page.getByRole('radio', { name: 'Table' }));
      const figures = page.getByRole('table', { name: 'Table' }).getByRole('row');
      expect(await figures.last().getByRole('cell').allTextContents()).toEqual(['5', '10']);

      await hand.press(page, page.getByRole('link', { name: /trace/ }).last());
      await page.waitForURL(/#\/trace\/.+/);
      const { name, content } = await app.saved(() => hand.press(page, page.getByRole('button', { name: 'Chrome JSON' })));
      expect(name).toMatch(/\.json$/);
      expect(slicesInFile(content)).toEqual(slicesRecorded(app.dataFolder));
      expect(new Set(slicesInFile(content).map(({ device }) => device))).toContain('/job:ps/replica:0/task:0/device:CPU:0');
    });
  });
}
