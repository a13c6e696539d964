import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const script = fileURLToPath(new URL('./page-checks.js', import.meta.url));

/** More than any screen has places for the focus. */
const MOST_STOPS = 150;

/** Puts the checks into every page that is loaded from now on. */
export async function addPageChecks(page: Page): Promise<void> {
  await page.addInitScript({ path: script });
}

/** The window must be in the pseudo-locale; `known` are patterns of what programs, nodes and runs are called and say. */
export function hardCodedTexts(page: Page, known: readonly string[]): Promise<readonly string[]> {
  return page.evaluate(`pageChecks.hardCoded(${JSON.stringify(known)})`);
}

/** The window must be in the pseudo-locale. */
export function clippedTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate('pageChecks.clipped()');
}

export function lostControls(page: Page): Promise<readonly string[]> {
  return page.evaluate('pageChecks.lostControls()');
}

/** What the focus, going round with Tab, visits without being seen there. */
export async function unseenFocus(page: Page): Promise<readonly string[]> {
  const found = new Set<string>();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const unseen = await page.evaluate<string>('pageChecks.focusUnseen()');
    if (unseen) found.add(unseen);
    if (await page.evaluate<boolean>('document.activeElement === document.body')) break;
  }
  return [...found];
}
