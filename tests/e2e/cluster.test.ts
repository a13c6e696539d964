import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { processesWith } from '../support/processes.ts';
import { type WindowApp, withWindow } from '../support/window-app.ts';
import { windowKinds } from '../support/window-kinds.ts';

let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
});
afterAll(() => display?.stop());

for (const kind of windowKinds(() => display)) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let app: WindowApp;

    afterEach(() => app.close());

    it('forms a cluster, marks a task that was killed, restarts it, and stops them all', async () => {
      app = await kind.open();
      const { page } = app;
      const tasks = () => processesWith(app.dataFolder).filter(({ command }) => command.includes('task-server/index.js'));

      await page.getByRole('link', { name: 'Cluster' }).click();
      await page.getByRole('button', { name: /^1 ps \+ 2 workers/ }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('2 of 2 running').waitFor();
      expect(tasks()).toHaveLength(3);

      await page.getByRole('button', { name: /^Kill .*worker.*1/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click();
      await page.getByText('1 of 2 running').waitFor();
      await page.getByText('lost', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Restart', exact: true }).click();
      await page.getByText('2 of 2 running').waitFor();

      await page.getByRole('button', { name: 'Open to other machines…' }).click();
      await page.getByLabel('Network').fill('10.77.0.9/4');
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.getByRole('dialog').getByRole('alert').filter({ hasText: '/8 or longer' }).waitFor();
      await page.getByLabel('Network').fill('10.77.0.9/24');
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^grpc:/ })
        .nth(2)
        .waitFor();
      await page.keyboard.press('Escape');
      await page.getByText(/^Open to 10\.77\.0\.0\/24 for another 1[45]:/).waitFor();
      await page.getByRole('button', { name: 'Close now' }).click();
      await page.getByRole('button', { name: 'Open to other machines…' }).waitFor();

      await page.getByRole('button', { name: 'Stop cluster' }).click();
      await page.getByText(/^3 tasks stopped in/).waitFor();
      expect(tasks()).toEqual([]);
    });
  });
}
