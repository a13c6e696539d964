/**
 * A user who has just got Lanflow: opens the desktop app and, with the mouse, comes from bare machines that announce SSH to the demo on them.
 * Arguments: how many machines, the user name there. The password is the first line of standard input. Prints what it took as JSON.
 */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { startDisplay } from '../../../support/display.ts';
import { openElectron } from '../../../support/electron-app.ts';

const [count = '', user = ''] = process.argv.slice(2);
const [password] = await once(createInterface({ input: process.stdin }), 'line');
/** For people to look at. */
const screenshots = fileURLToPath(new URL('../screenshots/', import.meta.url));
mkdirSync(screenshots, { recursive: true });

let clicks = 0;
async function click(target: Locator): Promise<void> {
  await target.click();
  clicks++;
}

async function fromMachinesToDemo(page: Page): Promise<void> {
  await click(page.getByRole('link', { name: /^Machines/ }));
  await click(page.getByRole('button', { name: `Install on ${count}…` }));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('User on the machines').fill(user);
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await click(dialog.getByRole('button', { name: `Install on ${count}` }));
  await click(dialog.getByRole('button', { name: 'Trust these keys' }));
  const demo = dialog.getByRole('button', { name: `Run the demo on ${count}` });
  await demo.waitFor();
  await page.screenshot({ path: `${screenshots}lab-installed.png` });
  await click(demo);
  await page.getByRole('button', { name: /^var\b.*\d$/ }).waitFor();
}

const display = await startDisplay();
const began = performance.now();
const app = await openElectron(display);
const { page } = app;
try {
  page.setDefaultTimeout(60_000);
  await fromMachinesToDemo(page);
  const seconds = (performance.now() - began) / 1000;
  await page.getByText('Right result').waitFor();
  await page.screenshot({ path: `${screenshots}lab-demo.png` });
  await page.getByRole('link', { name: /^Machines/ }).click();
  await page.getByRole('heading', { name: 'Your lab' }).waitFor();
  await page.screenshot({ path: `${screenshots}lab-machines.png` });
  const lab = await page.getByText(/^There is none yet/).count();
  console.log(JSON.stringify({ clicks, seconds, isLabShown: lab === 0 }));
} catch (error) {
  await page.screenshot({ path: `${screenshots}lab-failed.png` });
  throw error;
} finally {
  await app.close();
  await display.stop();
}
process.exit(0);
