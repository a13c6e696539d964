import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { browserKind } from '../support/browser-app.ts';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { tabTo } from '../support/keyboard.ts';
import { startLanAgent } from '../support/lan-agent.ts';
import { clusterInTrouble } from '../support/scripted-clusters.ts';
import { type ScriptedLab, scriptLab } from '../support/scripted-lab.ts';
import { type WindowApp, withWindow } from '../support/window-app.ts';
import { windowKinds } from '../support/window-kinds.ts';
import { goTo, speak } from '../support/window-walk.ts';
import { wordsOf } from '../support/words.ts';

/** For people to look at. */
const screenshots = fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url));
const words = wordsOf('en');

let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
  mkdirSync(screenshots, { recursive: true });
});
afterAll(() => display?.stop());

for (const kind of windowKinds(() => display)) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let app: WindowApp;

    afterEach(() => app.close());

    it('shows this machine, and what can be done to have more of them', async () => {
      app = await kind.open();
      const { page } = app;
      await page.getByRole('link', { name: 'Machines' }).click();
      await page.getByRole('table', { name: 'Machines' }).getByText('this machine').waitFor();
      await page.getByRole('table', { name: 'Machines' }).getByText('online').waitFor();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('menuitem', { name: /^Add by address/ }).click();
      await page.getByLabel('Name or address').fill('127.0.0.1:1');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Why?' }).click();
      await page.getByRole('heading', { name: 'Why is a machine missing?' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });

    it('takes in two machines by address and PIN, and runs a cluster on them', async () => {
      const agents = await Promise.all([startLanAgent(['--pairing']), startLanAgent(['--pairing'])]);
      try {
        app = await kind.open();
        const { page } = app;
        page.setDefaultTimeout(30_000);
        await page.getByRole('link', { name: /^Machines/ }).click();
        const online = page.getByRole('table', { name: 'Machines' }).getByText('online');
        for (const [i, { child, port }] of agents.entries()) {
          const pin = await child.line((line) => line.startsWith('pairing PIN '));
          await page.getByRole('button', { name: 'Add', exact: true }).click();
          await page.getByRole('menuitem', { name: /^Add by address/ }).click();
          await page.getByLabel('Name or address').fill(`127.0.0.1:${port}`);
          await page.keyboard.press('Enter');
          await page.getByLabel('PIN').fill(pin.slice('pairing PIN '.length));
          await page.keyboard.press('Enter');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await online.nth(i + 1).waitFor();
        }
        await page.screenshot({ path: join(screenshots, `${kind.name.toLowerCase()}-machines-paired.png`) });
        const choices = page.getByRole('checkbox', { name: /^Choose (?!all)/ });
        for (const place of [1, 2]) await choices.nth(place).check();
        await page.getByRole('button', { name: 'Form a cluster of 2' }).click();
        await page.getByRole('button', { name: 'Start', exact: true }).click();
        await page.getByText('1 of 1 running').nth(1).waitFor();
        await page.screenshot({ path: join(screenshots, `${kind.name.toLowerCase()}-machines-cluster.png`) });
        await page.getByRole('button', { name: 'Stop cluster' }).click();
        await page.getByText(/^2 tasks stopped in/).waitFor();
      } finally {
        await Promise.all(agents.map((agent) => agent.close()));
      }
    });
  });
}

describe.skipIf(browserKind.missing)(withWindow({ name: 'a lab', missing: browserKind.missing }), () => {
  let app: WindowApp;
  let lab: ScriptedLab;
  const found: Record<string, readonly string[]> = {};

  beforeEach(async () => {
    app = await browserKind.open();
    app.page.setDefaultTimeout(20_000);
    await speak(app.page, 'en');
    lab = await scriptLab(app.page);
    await app.page.reload();
  });
  afterEach(() => app.close());

  /** Notes what axe minds; leaves a screenshot behind. */
  async function inspect(state: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await app.page.screenshot({ path: join(screenshots, `lab-${colorScheme}-${state}.png`) });
      const { violations } = await new AxeBuilder({ page: app.page }).analyze();
      if (violations.length > 0)
        found[`${state} ${colorScheme}`] = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
    }
  }

  it('is installed on with one password, and becomes a cluster, in less than six presses', async () => {
    const { page } = app;
    let presses = 0;
    const press = async (name: string | RegExp, role: 'button' | 'link' = 'button') => {
      await page.getByRole(role, { name, exact: true }).click();
      presses++;
    };
    await press(/^Machines/, 'link');
    await inspect('machines');
    await press('Install on 2…');
    await page.getByLabel('Password').fill('open sesame');
    await inspect('install');
    await press('Install on 2');
    await page.getByText('Are these the keys of the machines?').waitFor();
    await inspect('host-keys');
    await press('Trust these keys');
    lab.reach('10.0.4.13', { stage: 'uploading', fraction: 0.43 });
    await page.getByText('uploading 43 %').first().waitFor();
    await inspect('installing');
    for (const host of ['10.0.4.13', '10.0.4.14']) lab.reach(host, { stage: 'done', fraction: 1, message: 'Lanflow 1.0.0 runs there' });
    await inspect('installed');
    await press('Form a cluster of 2');
    await page.getByLabel('Machine', { exact: true }).first().waitFor();
    await inspect('cluster');
    const places = await Promise.all((await page.getByLabel('Machine', { exact: true }).all()).map((field) => field.inputValue()));
    expect(places).toEqual(['m-lab-03', 'm-lab-04']);
    expect(lab.asked).toEqual(['login:  open sesame', 'install: 10.0.4.13 10.0.4.14', 'keys: 2 true']);
    expect(await page.getByRole('button', { name: 'Start', exact: true }).isEnabled()).toBe(true);
    expect(presses).toBeLessThan(6);
  });

  it('is installed on with the keyboard alone', async () => {
    const { page } = app;
    await goTo(page, words, 'machines');
    await tabTo(page, page.getByRole('checkbox', { name: 'Choose lab-04' }));
    await page.keyboard.press('Space');
    await tabTo(page, page.getByRole('button', { name: 'Install on 1…' }));
    await page.keyboard.press('Enter');
    // The user's name has the focus; the password comes next.
    await page.keyboard.type('student');
    await page.keyboard.press('Tab');
    await page.keyboard.type('open sesame');
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Trust this key' }));
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('looking around').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(lab.asked).toEqual(['login: student open sesame', 'install: 10.0.4.14', 'keys: 1 true']);
  });

  it('says what failed on which machine, and tries again there', async () => {
    const { page } = app;
    await goTo(page, words, 'machines');
    await page.getByRole('button', { name: 'Install on 2…' }).click();
    await page.getByText('Bring GPU libraries too').click();
    await page.getByLabel('Folder on this computer').fill('~/lanflow-gpu');
    await inspect('install-component');
    await page.getByRole('button', { name: 'Install on 2', exact: true }).click();
    await page.getByText('Are these the keys of the machines?').waitFor();
    expect(lab.asked).toContain('component: ~/lanflow-gpu');
    lab.reach('10.0.4.13', { stage: 'failed', message: 'lab-03 lets nobody in with this password; type another one', hostKey: '' });
    lab.reach('10.0.4.14', { stage: 'done', hostKey: '' });
    await page.getByText('lets nobody in with this password').waitFor();
    await inspect('install-failed');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Install on 1 machine' }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    // What has failed is kept until somebody clears it.
    await page.getByText('lets nobody in with this password').waitFor();
    await inspect('machines-failed');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('lets nobody in with this password').waitFor({ state: 'detached' });
  });

  it('takes in a machine with the PIN that it shows', async () => {
    const { page } = app;
    await goTo(page, words, 'machines');
    await page.getByRole('button', { name: 'Pair…' }).click();
    await page.getByLabel('PIN').fill('27 18 28');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('2 tries are left').waitFor();
    await inspect('pair');
    await page.getByLabel('PIN').fill('314159');
    await page.keyboard.press('Enter');
    await page.getByText('lab-05 belongs to your lab now').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('lets go of a machine after asking once', async () => {
    const { page } = app;
    await goTo(page, words, 'machines/m2');
    await inspect('details');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('its certificate is revoked').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('link', { name: 'lab-02' }).waitFor({ state: 'detached' });
    expect(lab.asked).toEqual(['remove: m2']);
  });

  it('says on the cluster screen why a machine takes no tasks, and what to do', async () => {
    const { page } = app;
    await goTo(page, words, 'cluster');
    await inspect('first-cluster');
    await page.getByRole('button', { name: /^2 canshu/ }).click();
    await page.getByRole('radio', { name: /lab-02/ }).waitFor();
    expect(await page.getByRole('radio', { name: /lab-0/ }).count()).toBe(2);
    await inspect('cluster-machines');
    // The first task's machine has TensorFlow, the other one's has not.
    await page.getByRole('combobox', { name: 'Engine' }).first().selectOption({ label: 'TensorFlow 2.21.0 (conda: lab)' });
    expect(await page.getByRole('option', { name: 'TensorFlow: not installed' }).first().isDisabled()).toBe(true);
    await page.getByLabel('Machine', { exact: true }).first().selectOption('lab-02');
    await page.getByText(/^lab-02 has no TensorFlow: install it there/).waitFor();
    expect(await page.getByRole('button', { name: 'Start', exact: true }).isDisabled()).toBe(true);
    await inspect('cluster-engines');
    await page.getByRole('region', { name: 'Machines' }).getByRole('button', { name: 'Why?' }).first().click();
    await page.getByText('Install Lanflow there from here').or(page.getByText('no Lanflow agent runs on it')).first().waitFor();
    await inspect('diagnosis');
  });

  it('has a cluster of which tasks vanished with their machine: they are moved together, and what is open is closed', async () => {
    const { page } = app;
    const troubled = await scriptLab(page, [clusterInTrouble()]);
    await page.reload();
    await goTo(page, words, 'home');
    await page.getByText(/^open to 10\.0\.4\.0\/24 for 14:3/).waitFor();
    await goTo(page, words, 'cluster');
    await inspect('cluster-troubled');
    await page.getByRole('button', { name: 'Addresses' }).click();
    await page.getByRole('button', { name: 'grpc://10.0.4.12:2220' }).waitFor();
    await inspect('cluster-addresses');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close now' }).click();
    await page.getByText('Lesson 3 is closed to other machines').waitFor();
    await page.getByRole('button', { name: 'Move to…' }).first().click();
    await page.getByText('/job:worker/task:1 and /job:worker/task:2 are put on another machine together').waitFor();
    await inspect('cluster-move');
    await page.getByRole('radio', { name: /lab-02/ }).check();
    await page.getByRole('button', { name: 'Move', exact: true }).click();
    await expect.poll(() => troubled.asked).toEqual(['close: c1', 'move: /job:worker/replica:0/task:1 to m2']);
  });

  it('is searched after a warning, and added to by address', async () => {
    const { page } = app;
    const choose = async (item: RegExp) => {
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await goTo(page, words, 'machines');
    lab.hinder('Another program on this machine keeps UDP port 5353 to itself, so nothing announced is heard');
    await page.getByRole('status').getByText('UDP port 5353').waitFor();
    await inspect('hindered');
    await choose(/^Search my subnet/);
    await inspect('probe');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByText('120 of 254 addresses tried, 1 machine found').waitFor();
    await inspect('probing');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Ended after 120 of 254 addresses, 1 machine found.').waitFor();
    await inspect('probed');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await choose(/^Install on machines/);
    await page.getByLabel('Addresses').fill('10.0.9.9:2222, lab-77');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: /^gpu-box/ }).check();
    await page.getByRole('heading', { name: 'Install on 3 machines' }).waitFor();
    await inspect('install-elsewhere');
  });

  it('has nothing that axe minds in any of these states', () => {
    expect(found).toEqual({});
  });
});
