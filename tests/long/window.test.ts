import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserKind } from '../support/browser-app.ts';
import { writeOwnPrograms } from '../support/own-programs.ts';
import { addPageChecks, clippedTexts, hardCodedTexts, lostControls, unseenFocus } from '../support/page-checks.ts';
import { createHome, type TemporaryHome, type WindowApp, withWindow } from '../support/window-app.ts';
import { speak, walkEmpty, walkFilled } from '../support/window-walk.ts';
import { type WindowLanguage, wordsOf } from '../support/words.ts';

/** For people to look at. */
const screenshots = fileURLToPath(new URL('../../.cache/screenshots/', import.meta.url));

/** What programs, nodes, series and runs of the walk are called, and what they say. */
const known = [
  '(.* · )?(Counting|Failing|Looping|One graph spread over four tasks|regression|looping|counting|failing)( · .*)?',
  'client|lanflow|var|counter|finalValue|additions|Parameter server: .*|Worker \\d: .*|Attr .*|[A-Z_]{5,}',
  'prediction|bias|weight|Const|Add|Mul|Sub|Square|Mean|variable|constant|optimizer|GradientDescent',
  'Node|ONNX Runtime',
];

describe.skipIf(browserKind.missing)(withWindow(browserKind), () => {
  let home: TemporaryHome;
  let app: WindowApp;
  let found: Record<string, readonly string[]>;

  beforeEach(async () => {
    mkdirSync(screenshots, { recursive: true });
    found = {};
    home = createHome();
    writeOwnPrograms(home);
    app = await browserKind.open({ home });
    app.page.setDefaultTimeout(30_000);
  });
  afterEach(async () => {
    await app.close();
    home.remove();
  });

  /** Every screen and dialog, in a language. */
  async function walk(language: WindowLanguage, visit: (state: string) => Promise<void>): Promise<void> {
    const { page } = app;
    await addPageChecks(page);
    await speak(page, language);
    await page.reload();
    await walkEmpty(page, wordsOf(language), visit);
    await walkFilled(page, wordsOf(language), visit);
  }

  function note(name: string, lines: readonly string[]): void {
    if (lines.length > 0) found[name] = lines;
  }

  async function photograph(name: string): Promise<void> {
    await app.page.screenshot({ path: join(screenshots, `${name}.png`) });
  }

  it('has nothing that axe minds in Chinese either, in both themes', async () => {
    await walk('zh-CN', async (state) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await photograph(`chinese-${colorScheme}-${state}`);
        const { violations } = await new AxeBuilder({ page: app.page }).analyze();
        note(
          `${colorScheme}-${state}`,
          violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
        );
      }
    });
    expect(found).toEqual({});
  });

  it('takes every text from a catalogue, and has room for texts that are a third longer', async () => {
    await walk('en-XA', async (state) => {
      await photograph(`pseudo-${state}`);
      note(`${state}: hard-coded`, await hardCodedTexts(app.page, known));
      note(`${state}: cut`, await clippedTexts(app.page));
    });
    expect(found).toEqual({});
  });

  it('loses no control at 640 × 400, which is a window of 1280 × 800 at 200 %', async () => {
    await app.page.setViewportSize({ width: 640, height: 400 });
    await walk('en', async (state) => {
      await photograph(`narrow-${state}`);
      note(state, await lostControls(app.page));
    });
    expect(found).toEqual({});
  });

  it('shows where the focus is, wherever Tab takes it', async () => {
    await walk('en', async (state) => {
      note(state, await unseenFocus(app.page));
    });
    expect(found).toEqual({});
  });

  it('can be used in forced colours', async () => {
    await app.page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await walk('en', async (state) => {
      await photograph(`forced-${state}`);
      note(state, await lostControls(app.page));
    });
    expect(found).toEqual({});
  });
});
