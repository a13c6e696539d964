import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { ElectronApp } from '../support/electron-app.ts';
import type { TemporaryHome } from '../support/window-app.ts';

/** Of a program that steps as fast as it can: it keeps this count in a file, ten times a second. */
interface Count {
  readonly steps: number;
  /** Unix epoch in milliseconds. */
  readonly time: number;
}

export interface WatchOptions {
  /** How often: the rate of a second differs from that of the next one by a tenth and more, so it takes many. */
  readonly rounds: number;
  /** Of each measurement. */
  readonly seconds: number;
}

const PROGRAM = 'stepping';
/** What goes on right after another page was opened is not what watching costs. */
const SETTLE_MS = 600;

/** Percent of its steps per second that a run loses while a window shows its plots, against the same window on another page. */
export async function watchCost(app: ElectronApp, { rounds, seconds }: WatchOptions): Promise<number> {
  const { page } = app;
  const watched = await startRun(page);
  const rateOn = async (hash: string): Promise<number> => {
    await page.evaluate(`location.hash = '${hash}'`);
    await delay(SETTLE_MS);
    return stepRate(counterIn(app.home), seconds);
  };
  const rates: { alone: number[]; seen: number[] } = { alone: [], seen: [] };
  for (let round = 0; round < rounds; round++) {
    rates.alone.push(await rateOn('#/settings'));
    rates.seen.push(await rateOn(watched));
  }
  await page.evaluate(`location.hash = '${watched}'`);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped', { exact: true }).first().waitFor();
  return 100 * (1 - mean(rates.seen) / mean(rates.alone));
}

/** Resolves to the hash of its page when a value is plotted there. */
async function startRun(page: Page): Promise<string> {
  // Another run may be shown.
  await page.evaluate(`location.hash = '#/home'`);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('new run');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New run' });
  await dialog.getByRole('combobox', { name: 'Program', exact: true }).selectOption(`own/${PROGRAM}`);
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/#\/runs\/.+/);
  await page.getByRole('button', { name: /^var\b.*\d$/ }).waitFor();
  return new URL(page.url()).hash;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function stepRate(counter: string, seconds: number): Promise<number> {
  const before = readCount(counter);
  await delay(seconds * 1000);
  const after = readCount(counter);
  return ((after.steps - before.steps) * 1000) / (after.time - before.time);
}

function counterIn({ folder }: TemporaryHome): string {
  return join(folder, 'count.json');
}

function readCount(counter: string): Count {
  return JSON.parse(readFileSync(counter, 'utf8'));
}

/** The run's program, before an app is opened: as the samples are, a variable of a ps task that a worker adds to, each value told. */
export function writeSteppingProgram(home: TemporaryHome): void {
  const folder = join(home.folder, 'data', 'programs');
  const counter = counterIn(home);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, `${PROGRAM}.ts`),
    `import { renameSync, writeFileSync } from 'node:fs';
    import { defineProgram, Graph, toNumber } from 'lanflow/client';
    export default defineProgram({
      name: '${PROGRAM}', title: 'Stepping', cluster: { ps: 1, worker: 1 },
      async run(context) {
        const g = new Graph();
        const variable = g.device('/job:ps/task:0', () => g.variable('var', 0));
        const addOne = variable.assignAdd(1);
        const session = context.session(g, 'worker', 0);
        await session.run(g.globalVariablesInitializer());
        let told = 0;
        for (let step = 1; !context.signal.aborted; step++) {
          context.sample('var', step, toNumber(await session.run(addOne)));
          if (Date.now() - told < 100) continue;
          told = Date.now();
          writeFileSync(${JSON.stringify(`${counter}.new`)}, JSON.stringify({ steps: step, time: told }));
          renameSync(${JSON.stringify(`${counter}.new`)}, ${JSON.stringify(counter)});
        }
        return {};
      },
    });`,
  );
}
