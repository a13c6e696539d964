import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { type WindowApp, withWindow } from '../support/window-app.ts';
import { windowKinds } from '../support/window-kinds.ts';

/** Notes what breaks the content security policy, from before the page's own code on: the layout runs in a worker. */
const watchPolicy = `globalThis.brokenPolicies = [];
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => brokenPolicies.push(violatedDirective + ' ' + blockedURI));`;

let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
});
afterAll(() => display?.stop());

/** The master is asked, and a program rehearsed, in processes of their own. */
const eventually = <T>(value: () => Promise<T>) => expect.poll(value, { timeout: 30_000 });

for (const kind of windowKinds(() => display)) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let app: WindowApp;
    let page: Page;

    beforeEach(async () => {
      app = await kind.open();
      page = app.page;
      await page.getByRole('navigation').waitFor();
      await page.addInitScript(watchPolicy);
      await page.reload();
      await page.getByRole('navigation').waitFor();
    });
    afterEach(() => app.close());

    const canvas = () => page.getByRole('application', { name: /^Graph;/ });
    const node = (name: string): Locator => page.locator(`.svelte-flow__node[data-id="${name}"]`);

    async function open(address: string): Promise<void> {
      await page.evaluate(`location.hash = '#/graph/${address}'`);
      await page.locator('.svelte-flow__node').first().waitFor();
    }

    it('shows the graph of a program, opens a scope in place and walks along edges with the keyboard', async () => {
      await open('in-graph-regression');
      await eventually(() => page.getByRole('list', { name: 'Legend' }).textContent()).toContain('canshu 0');
      await node('weight/').click();
      const before = await node('weight/').boundingBox();
      await canvas().press('Enter');
      await node('weight/read').waitFor();
      const after = await node('weight/').boundingBox();
      expect([after?.x, after?.y].map((value) => Math.round(value ?? 0))).toEqual(
        [before?.x, before?.y].map((value) => Math.round(value ?? 0)),
      );

      await node('random_uniform/').click();
      await canvas().press('ArrowRight');
      await page.getByRole('heading', { name: 'weight/Assign' }).waitFor();
      await node('weight/read').click();
      await canvas().press('ArrowLeft');
      await page.getByRole('heading', { name: 'weight', exact: true }).waitFor();
      expect(await page.evaluate('brokenPolicies')).toEqual([]);
    });

    it('pins a node, shows where it would go then, and takes the pin back', async () => {
      await open('in-graph-regression?node=Add');
      const inspector = page.getByRole('complementary', { name: 'Inspector' });
      await inspector.getByRole('heading', { name: 'Add' }).waitFor();
      await canvas().focus();
      await canvas().press('p');
      await page.getByRole('group', { name: 'Pin to' }).getByRole('button', { name: 'canshu 1' }).press('Enter');
      await page.getByText('Add → canshu 1').waitFor();
      await eventually(() => node('Add').getAttribute('aria-label')).toMatch(/canshu 1, pinned$/);

      await page.getByRole('tab', { name: 'Pins 1' }).click();
      await inspector.getByRole('listitem').getByText('canshu 1').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await inspector.getByText('No pins').waitFor();
      await eventually(() => node('Add').getAttribute('aria-label')).toMatch(/gongzuo 0$/);
    });

    it('says before a run that a pinned device is not there', async () => {
      await open('in-graph-regression?node=Add');
      await page.getByRole('textbox', { name: 'Device to pin to' }).fill('/job:gongzuo/task:7');
      await page.getByText(/The cluster has no such device; it has canshu 0/).waitFor();
      await page.getByRole('textbox', { name: 'Device to pin to' }).press('Enter');
      await page.getByRole('tab', { name: /^Placement \d/ }).click();
      await page.getByRole('button', { name: /^Add is pinned to/ }).waitFor();
      await eventually(() => node('Add').getAttribute('aria-label')).toMatch(/has a problem$/);
    });

    it('finds nodes, lists them as a table and exports the graph and its picture', async () => {
      await open('in-graph-regression');
      await canvas().focus();
      await canvas().press('/');
      await page.keyboard.type('grad reshape');
      await page.getByRole('listbox', { name: 'Nodes found' }).getByRole('option').first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^gradients\/.*Reshape$/ }).waitFor();

      await page.getByRole('combobox', { name: 'Find a node, op or device' }).fill('VariableV2');
      await page.getByText('Table', { exact: true }).click();
      const table = page.getByRole('table', { name: 'Table' });
      await eventually(() => table.getByRole('row').count()).toBe(2);
      expect(await table.getByRole('row').first().getByRole('cell').allTextContents()).toEqual(
        expect.arrayContaining(['bias', 'VariableV2', 'canshu 1']),
      );

      const exported = async (item: string) => {
        await page.getByRole('button', { name: 'Export' }).click();
        return app.saved(() => page.getByRole('menuitem', { name: item }).click());
      };
      const graph = await exported('GraphDef .pbtxt');
      expect(graph.name).toBe('in-graph-regression.pbtxt');
      expect(graph.content.toString()).toContain('name: "weight"');
      const picture = await exported('Picture .svg');
      expect(picture.content.toString()).toMatch(/^<svg [\s\S]*>weight\/ {2}3<[\s\S]*<\/svg>$/);
      const pixels = await exported('Picture .png');
      expect(pixels.content.subarray(1, 4).toString()).toBe('PNG');
    });

    it('has a tab for each client of a between-graph program, and says what is wrong with a program', async () => {
      await open('ps-workers');
      await page.getByRole('tab', { name: 'worker 1' }).click();
      await eventually(async () => page.url()).toContain('client=');
      await page.locator('.svelte-flow__node').first().waitFor();
      expect(await page.getByRole('tab', { name: 'worker 1' }).getAttribute('aria-selected')).toBe('true');

      await page.evaluate(`location.hash = '#/graph/no-such-program'`);
      await page
        .getByRole('alert')
        .getByText(/no-such-program/)
        .waitFor();
      await page.getByRole('main').getByRole('button', { name: 'Open the program' }).waitFor();
    });

    it('has nothing that axe minds, in either theme, with a node selected, as a drawing and as a table', async () => {
      await open('in-graph-regression?node=weight/read');
      const found: string[] = [];
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        for (const view of ['Table', 'Drawing']) {
          await page.getByText(view, { exact: true }).click();
          await page.getByRole(view === 'Table' ? 'table' : 'application').waitFor();
          const { violations } = await new AxeBuilder({ page }).setLegacyMode(kind.name === 'Electron').analyze();
          found.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${theme} ${view} ${id}: ${html}`)));
        }
      }
      expect(found).toEqual([]);
    });
  });
}
