import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { writeOwnPrograms } from '../support/own-programs.ts';
import { createHome, type TemporaryHome, type WindowApp, withWindow } from '../support/window-app.ts';
import { windowKinds } from '../support/window-kinds.ts';
import { speak, walkEmpty, walkFilled } from '../support/window-walk.ts';
import { wordsOf } from '../support/words.ts';

/** For people to look at. */
const screenshots = fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url));
/** Each state is looked at in both themes, with dozens of them. */
const WALK_LIMIT_MS = 300_000;

/** Notes what breaks the content security policy, from before the page's own code on. */
const watchPolicy = `globalThis.brokenPolicies = [];
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => brokenPolicies.push(violatedDirective + ' ' + blockedURI));`;

const words = wordsOf('en');
let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
  mkdirSync(screenshots, { recursive: true });
});
afterAll(() => display?.stop());

const kinds = windowKinds(() => display);

for (const kind of kinds) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let home: TemporaryHome;
    let app: WindowApp;
    const found: Record<string, readonly string[]> = {};

    beforeAll(async () => {
      home = createHome();
      writeOwnPrograms(home);
      app = await kind.open({ home });
      app.page.setDefaultTimeout(20_000);
      await app.page.addInitScript(watchPolicy);
      await speak(app.page, 'en');
      await app.page.reload();
    });
    afterAll(async () => {
      await app.close();
      home.remove();
    });

    // Themes are the page's own affair: both in one window are enough.
    const themes = kind === kinds.at(-1) ? (['light', 'dark'] as const) : (['light'] as const);

    /** Notes what axe minds about what is shown; leaves a screenshot behind. */
    async function inspect(state: string): Promise<void> {
      for (const colorScheme of themes) {
        await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const name = `${kind.name}-${colorScheme}-${state}`.toLowerCase();
        await app.page.screenshot({ path: join(screenshots, `${name}.png`) });
        const { violations } = await new AxeBuilder({ page: app.page }).setLegacyMode(kind.name === 'Electron').analyze();
        if (violations.length > 0) found[name] = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
      }
    }

    it('has nothing that axe minds on any screen at the first launch', async () => {
      await walkEmpty(app.page, words, inspect);
      expect(found).toEqual({});
    });

    it(
      'has nothing that axe minds on any screen or dialog with something in it',
      async () => {
        await walkFilled(app.page, words, inspect);
        expect(found).toEqual({});
      },
      WALK_LIMIT_MS,
    );

    it('has kept to its content security policy on all of them', async () => {
      expect(await app.page.evaluate('brokenPolicies')).toEqual([]);
    });
  });
}
