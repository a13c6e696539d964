import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { type WindowApp, withWindow } from '../support/window-app.ts';
import { windowKinds } from '../support/window-kinds.ts';

/** What a page has and Node does not. */
interface PageGlobals {
  readonly document: { readonly body: { dispatchEvent(event: unknown): void } };
  readonly DataTransfer: new () => { readonly items: { add(file: unknown): void } };
  readonly DragEvent: new (type: string, init: object) => unknown;
  readonly File: new (parts: readonly string[], name: string) => unknown;
}

/** Adds a constant to itself, as another tool writes it. */
const graphDef = `
node { name: "two" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2.0 } } } }
node { name: "sum" op: "Add" input: "two" input: "two" attr { key: "T" value { type: DT_FLOAT } } }
`;
const failing = `import { defineProgram } from 'lanflow/client';

export default defineProgram({
  name: 'failing',
  title: 'Failing',
  cluster: {},
  async run(context) {
    context.log('here');
    throw new RangeError('too far');
  },
});
`;

let display: Display;
beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
});
afterAll(() => display?.stop());

for (const kind of windowKinds(() => display)) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let app: WindowApp;
    let page: Page;
    beforeEach(async () => {
      app = await kind.open();
      page = app.page;
      await page.getByRole('link', { name: 'Programs' }).click();
    });
    afterEach(() => app.close());

    const editor = () => page.getByRole('textbox', { name: 'Source' });
    const problems = () => page.getByRole('list', { name: 'Problems' }).getByRole('button');
    const own = () => page.getByRole('list', { name: 'My programs' }).getByRole('link');
    const says = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
    const run = () => page.getByRole('button', { name: 'Run', exact: true }).click();
    const file = (name: string) => join(app.dataFolder, 'programs', name);

    async function createProgram(title: string) {
      await page.getByRole('button', { name: 'New', exact: true }).click();
      await page.getByRole('menuitem', { name: /^New program/ }).click();
      await page.getByLabel('Title').fill(title);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: title }).waitFor();
      await editor().waitFor();
    }

    /** The cursor goes to the end of the first line with this text. */
    async function goToEndOf(text: string) {
      await editor().locator('.cm-line', { hasText: text }).first().click();
      await page.keyboard.press('End');
    }

    /** A file as from the file manager. */
    async function drop(name: string, content: string) {
      await page.evaluate(
        ([fileName, text]) => {
          const { document, DataTransfer, DragEvent, File } = globalThis as unknown as PageGlobals;
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], fileName));
          for (const type of ['dragover', 'drop'])
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
        },
        [name, content] as const,
      );
    }

    it('makes a program by typing: with suggestions, with a mistake shown at its line, and sees its series', async () => {
      await createProgram('Counting');
      await says('No problems');
      await goToEndOf("context.sample('counter'");
      await page.keyboard.press('Enter');
      await page.keyboard.type('context.samp');
      await page.getByRole('option', { name: /^sample/ }).waitFor();
      // So soon after it has appeared, Enter would still belong to the text.
      await page.waitForTimeout(150);
      await page.keyboard.press('Enter');
      await page.keyboard.type("('twice', step, 2 * valu);");
      await expect.poll(() => problems().allInnerTexts()).toEqual([expect.stringMatching(/25:41\s+Cannot find name 'valu'/)]);
      expect(await editor().locator('.cm-lintRange-error').allTextContents()).toEqual(['valu']);

      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const { violations } = await new AxeBuilder({ page }).setLegacyMode(kind.name === 'Electron').analyze();
        expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
      }

      await problems().first().click();
      for (let letter = 0; letter < 'valu'.length; letter++) await page.keyboard.press('ArrowRight');
      await page.keyboard.type('e');
      await says('No problems');
      await says('Saved');
      expect(readFileSync(file('counting.ts'), 'utf8')).toContain("      context.sample('twice', step, 2 * value);\n");
      await run();
      await page.waitForURL(/#\/runs\/.+/);
      await says('Finished');
      await page.getByRole('button', { name: /^twice\b.*\b20$/ }).waitFor();
    });

    it('leaves the editor with Escape and Tab, and saves at once with Ctrl+S', async () => {
      await createProgram('Keys');
      await editor().focus();
      await page.keyboard.press('Tab');
      expect(await editor().evaluate((element) => element.matches(':focus'))).toBe(true);
      await page.keyboard.press('ControlOrMeta+s');
      await expect.poll(() => readFileSync(file('keys.ts'), 'utf8'), { timeout: 400 }).toMatch(/^ {2}import/);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      expect(await editor().evaluate((element) => element.matches(':focus'))).toBe(false);
    });

    it('loses nothing that was typed when the window is loaded again', async () => {
      await createProgram('Kept');
      await editor().press('ControlOrMeta+Home');
      await page.keyboard.type('// one more line\n');
      await page.reload();
      await editor().getByText('// one more line').waitFor();
      await expect.poll(() => readFileSync(file('kept.ts'), 'utf8')).toMatch(/^\/\/ one more line\n/);
    });

    it('asks which text to keep when somebody else has written the file too', async () => {
      await createProgram('Shared');
      await editor().press('ControlOrMeta+Home');
      await page.keyboard.type('// mine\n');
      writeFileSync(file('shared.ts'), '// theirs\n');
      await page
        .getByRole('alert')
        .getByText(/Nothing is saved until you choose/)
        .waitFor();
      expect(readFileSync(file('shared.ts'), 'utf8')).toBe('// theirs\n');
      await page.getByRole('button', { name: 'Keep mine' }).click();
      await says('Saved');
      expect(readFileSync(file('shared.ts'), 'utf8')).toMatch(/^\/\/ mine\nimport/);
    });

    it('opens files that are dropped, and asks before a stranger is run', async () => {
      await drop('sum.pbtxt', graphDef);
      await says('This program is a GraphDef');
      expect(await page.getByRole('link', { name: 'Graph', exact: true }).getAttribute('href')).toBe('#/graph/own%2Fsum');
      await drop('failing.ts', failing);
      await editor().getByText('too far').waitFor();
      expect(await own().count()).toBe(2);

      await run();
      await page.getByRole('dialog').getByText('failing.ts').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      expect(page.url()).toContain('own%2Ffailing');
      await run();
      await page.getByRole('button', { name: 'Run it' }).click();
      await page.waitForURL(/#\/runs\/.+/);
      await says('Failed');

      await page.goBack();
      await expect.poll(() => problems().allInnerTexts()).toEqual([expect.stringMatching(/9:11\s+.*too far/)]);
      await run();
      await page.waitForURL(/#\/runs\/.+/);
    });

    it('changes a copy of a sample, and has a deleted program back', async () => {
      await page
        .getByRole('list', { name: 'Samples' })
        .getByRole('link', { name: /One server, one constant/ })
        .click();
      await editor().getByText('GREETING').first().waitFor();
      expect(await editor().getAttribute('aria-readonly')).toBe('true');
      await page.getByRole('button', { name: 'Duplicate to edit' }).click();
      await page.getByRole('heading', { name: /\(copy\)$/ }).waitFor();
      await says('No problems');
      await goToEndOf('const GREETING');
      await page.keyboard.press('Enter');
      await page.keyboard.type("console.log('a copy');");
      await run();
      await page.waitForURL(/#\/runs\/.+/);
      await says('Finished');
      await says('a copy');

      await page.goBack();
      await page.getByRole('button', { name: 'Delete' }).click();
      await expect.poll(() => own().count()).toBe(0);
      await page.getByRole('button', { name: 'Undo' }).click();
      await expect.poll(() => own().count()).toBe(1);
      await editor().getByText('a copy').waitFor();
    });
  });
}
