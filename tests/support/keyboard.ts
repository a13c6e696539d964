import type { Locator, Page } from 'playwright-core';

/** More than any screen has places for the focus. */
const MOST = 120;

/** Walks with Tab until the element has the focus; fails if it cannot be reached so, or if the focus cannot be seen there. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor({ state: 'attached' });
  for (let pressed = 0; pressed < MOST; pressed++) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return isSeen(page, target);
  }
  throw new Error(`${target} cannot be reached with Tab`);
}

/** Walks to a group of radio buttons, and on with the arrows to one of them. */
export async function pressArrowsTo(page: Page, option: Locator): Promise<void> {
  await tabTo(page, option.locator('xpath=ancestor::fieldset').locator('input:checked'));
  for (let pressed = 0; !(await option.isChecked()); pressed++) {
    if (pressed > MOST) throw new Error(`${option} cannot be reached with the arrows`);
    await page.keyboard.press('ArrowRight');
  }
}

/** Fails if nobody can tell that this element has the focus. */
async function isSeen(page: Page, target: Locator): Promise<void> {
  const outlines = await page.evaluate<
    string[]
  >(`[document.activeElement, ...['label', 'div', 'li'].map((tag) => document.activeElement.closest(tag))]
    .filter(Boolean).map((element) => getComputedStyle(element).outlineStyle)`);
  if (outlines.every((style) => style === 'none')) throw new Error(`${target} has the focus, but nothing shows it`);
}
