import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { startDisplay } from '../support/display.ts';
import { type Figure, measureApp } from './app-figures.ts';

/** The desktop app in the Electron that `npm start` uses, against the figures that it is to reach. */
export async function runAppBenchmark({ quick, resultFile }: { readonly quick: boolean; readonly resultFile: string }): Promise<void> {
  const display = await startDisplay();
  try {
    const figures = await measureApp(display, { quick, resultFolder: dirname(resultFile) });
    for (const figure of figures) console.log(line(figure));
    writeFileSync(resultFile, `${JSON.stringify(figures, null, 2)}\n`);
  } finally {
    await display.stop();
  }
}

function line({ name, unit, value, goal, better }: Figure): string {
  const isReached = better === 'less' ? value <= goal : value >= goal;
  const bound = better === 'less' ? 'at most' : 'at least';
  return `${name.padEnd(36)} ${value.toPrecision(3).padStart(6)} ${unit.padEnd(11)} ${bound} ${goal} ${isReached ? '✓' : '✗'}`;
}
