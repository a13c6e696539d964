import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { recordTraces, type TracedRun } from '../support/run-traces.ts';
import { PS, SkewedStep, W0, W1 } from '../support/skewed-step.ts';
import { createHome, type TemporaryHome, type WindowApp, withWindow } from '../support/window-app.ts';
import { windowKinds } from '../support/window-kinds.ts';
import { goTo, speak } from '../support/window-walk.ts';
import { wordsOf } from '../support/words.ts';

const SECONDS = 1_000_000;

/** Worker 0 sends back what it was sent; worker 1 only receives. */
const step = new SkewedStep({ [W0]: 2 * SECONDS, [W1]: -5 * SECONDS })
  .node(PS, 'read', [0, 20])
  .transfer(PS, 'read', W0, [20, 300])
  .transfer(PS, 'read', W1, [20, 310])
  .node(W0, 'gradient', [310, 500])
  .node(W1, 'use', [320, 700])
  .transfer(W0, 'gradient', PS, [500, 780])
  .node(PS, 'update', [790, 850]);

let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
});
afterAll(() => display?.stop());

for (const kind of windowKinds(() => display)) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let home: TemporaryHome;
    let recorded: TracedRun;
    let app: WindowApp;

    beforeEach(async () => {
      home = createHome();
      recorded = await recordTraces([step.metadata()], { folder: join(home.folder, 'data', 'runs') });
      app = await kind.open({ home });
    });
    afterEach(async () => {
      await app.close();
      await recorded.remove();
      home.remove();
    });

    it('says beside each device by how much its clock was off, as a picture and as tables, in both languages', async () => {
      const { page } = app;
      await page.getByText('Connected', { exact: true }).waitFor();
      await goTo(page, wordsOf('en'), 'trace');
      const devices = page.getByRole('list', { name: 'Devices' });
      await devices.getByText('Clock 2 s fast ± 281 µs, corrected').waitFor();
      await devices.getByText('Clock about 5.00 s slow, error unknown, corrected').waitFor();
      await page.locator('label', { hasText: 'Tree' }).click();
      await page.getByRole('tree').getByText('Clock 2 s fast ± 281 µs, corrected').waitFor();
      await page.locator('label', { hasText: 'Totals' }).click();
      await page.locator('label', { hasText: 'Device' }).click();
      await page.getByRole('table').getByText('Clock 2 s fast ± 281 µs, corrected').waitFor();
      await speak(page, 'zh-CN');
      await page.reload();
      await page.getByText('时钟快 2 s').waitFor();
    });
  });
}
