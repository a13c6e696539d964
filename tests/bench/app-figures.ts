import type { Page } from 'playwright-core';
import type { Display } from '../support/display.ts';
import { type ElectronApp, openElectron } from '../support/electron-app.ts';
import { createHome } from '../support/window-app.ts';
import { idleLoad, memoryOf, ownProcesses } from './app-cost.ts';
import { writeLargeGraph, writeLargeRun } from './app-material.ts';
import { watchCost, writeSteppingProgram } from './watch-cost.ts';

/** What the desktop app is to reach. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly goal: number;
  readonly better: 'less' | 'more';
}

const SERIES = 8;
const NODES = 2000;
const EVENTS = 20_000;
/** An app that has just started still has things to do. */
const SETTLE_MS = 10_000;

export interface MeasureOptions {
  readonly quick: boolean;
  /** What the window showed when something failed is written there. */
  readonly resultFolder: string;
}

export async function measureApp(display: Display, { quick, resultFolder }: MeasureOptions): Promise<readonly Figure[]> {
  const home = createHome();
  const points = quick ? 10_000 : 100_000;
  const run = await writeLargeRun(`${home.folder}/data`, { series: SERIES, points, events: EVENTS });
  const graph = writeLargeGraph(home.folder, NODES);
  writeSteppingProgram(home);
  const began = performance.now();
  const app = await openElectron(display, { home });
  try {
    await app.page.getByRole('button', { name: 'Run the demo' }).waitFor();
    const usable = (performance.now() - began) / 1000;
    await app.page.waitForTimeout(SETTLE_MS);
    const load = await idleLoad(home, quick ? 5 : 30);
    const memory = memoryOf(ownProcesses(home, app.electron.process().pid ?? 0));
    const rate = await panRate(app, { page: `runs/${run}`, place: '[role=slider]' });
    const traceRate = await panRate(app, { page: `trace/${run}/trace-1`, place: '[role=application]' });
    const drawn = await graphTime(app, graph);
    const demo = await demoTime(app.page);
    const watching = await watchCost(app, { rounds: quick ? 5 : 40, seconds: 2 });
    return [
      { name: 'start → usable', unit: 's', value: usable, goal: 2, better: 'less' },
      { name: 'demo: click → first value plotted', unit: 's', value: demo, goal: 3, better: 'less' },
      { name: 'steps per second that watching costs', unit: '%', value: watching, goal: 2, better: 'less' },
      { name: 'idle, all processes', unit: '% of a core', value: load, goal: 1, better: 'less' },
      { name: 'memory of shell, core and window', unit: 'MB', value: memory, goal: 350, better: 'less' },
      { name: `${NODES} nodes laid out and drawn`, unit: 's', value: drawn, goal: 2, better: 'less' },
      { name: `panning ${SERIES} × ${points} points`, unit: 'frames/s', value: rate, goal: 30, better: 'more' },
      { name: `panning a trace of ${EVENTS} events`, unit: 'frames/s', value: traceRate, goal: 30, better: 'more' },
    ];
  } catch (error) {
    await app.page.screenshot({ path: `${resultFolder}/bench-app-failed.png` });
    throw error;
  } finally {
    await app.close();
    home.remove();
  }
}

async function demoTime(page: Page): Promise<number> {
  await page.evaluate(`location.hash = '#/home'`);
  const button = page.getByRole('button', { name: 'Run the demo' });
  await button.waitFor();
  const began = performance.now();
  await button.click();
  await page.getByRole('button', { name: /^var\b.*\d$/ }).waitFor();
  return (performance.now() - began) / 1000;
}

interface Panned {
  /** Path of the page. */
  readonly page: string;
  /** Of the plot on it, as a CSS selector. */
  readonly place: string;
}

/** Frames that a drag over a plot gets, each with another range of it: the page moves, then waits to be drawn. */
async function panRate({ page }: ElectronApp, { page: path, place }: Panned): Promise<number> {
  await page.evaluate(`location.hash = '#/${path}'`);
  const plot = page.locator(place).first();
  await plot.waitFor();
  await plot.focus();
  for (let k = 0; k < 3; k++) await page.keyboard.press('+');
  return page.evaluate(`(async () => {
    const plot = document.querySelector('${place}');
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    await frame();
    const began = performance.now();
    let frames = 0;
    for (; performance.now() - began < 3000; frames++) {
      const deltaX = frames % 40 < 20 ? 12 : -12;
      plot.dispatchEvent(new WheelEvent('wheel', { deltaX, bubbles: true, cancelable: true }));
      await frame();
    }
    return (frames * 1000) / (performance.now() - began);
  })()`);
}

/** The graph was built before: only what the window does is measured. */
async function graphTime({ page }: ElectronApp, path: string): Promise<number> {
  const open = `location.hash = ${JSON.stringify(`#/graph/${encodeURIComponent(path)}`)}`;
  const drawn = page.getByRole('application').getByText('Add_1', { exact: true });
  await page.evaluate(open);
  await drawn.waitFor();
  await page.evaluate(`location.hash = '#/home'`);
  await drawn.waitFor({ state: 'detached' });
  const began = performance.now();
  await page.evaluate(open);
  await drawn.waitFor();
  return (performance.now() - began) / 1000;
}
