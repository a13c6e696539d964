import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../main/program-host/run-program.ts';
import { linePoints } from '../../main/programs/data.ts';
import { loadRunData } from '../../main/runs/recovery.ts';
import { RunFolder } from '../../main/runs/run-folder.ts';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing } from '../support/electron-app.ts';
import { type WindowApp, withWindow } from '../support/window-app.ts';
import { windowKinds } from '../support/window-kinds.ts';

const programHost = fileURLToPath(new URL('../../dist/program-host/index.js', import.meta.url));

let display: Display;

beforeAll(async () => {
  if (!electronMissing) display = await startDisplay();
});
afterAll(() => display?.stop());

/** To tidy up takes a while to begin. */
const REST_MS = 1500;

/** A hand that draws. */
class Hand {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  field(label: string): Locator {
    return this.#page.getByLabel(label, { exact: true });
  }

  async type(label: string, text: string): Promise<void> {
    await this.field(label).fill(text);
    await this.field(label).blur();
  }

  async choose(label: string, option: string): Promise<void> {
    await this.#page.getByRole('combobox', { name: label, exact: true }).selectOption(option);
  }

  /** Finds it in the palette and adds it with Enter; the inspector shows it then. */
  async add(words: string, name: string, device: string): Promise<void> {
    const search = this.#page.getByRole('searchbox', { name: 'Search nodes' });
    await search.fill(words);
    await search.press('Enter');
    await this.type('Name', name);
    await this.type('Device', device);
  }

  node(name: string): Locator {
    return this.#page.locator(`.svelte-flow__node[data-id="${name}"]`);
  }

  /** Draws an edge with the pointer, from the first output to an input. */
  async drawEdge(from: string, to: string, input: number): Promise<void> {
    await this.#page.getByRole('button', { name: 'Tidy up' }).click();
    await this.#page.getByRole('button', { name: 'Show all' }).click();
    const { mouse } = this.#page;
    const source = await this.#restingPlace(this.node(from).locator('.source').first());
    const target = await this.#restingPlace(this.node(to).locator('.target').nth(input));
    await mouse.move(source.x, source.y);
    await mouse.down();
    await mouse.move(target.x, target.y, { steps: 10 });
    await mouse.up();
  }

  /** The middle of something that may still be on its way: the view glides. */
  async #restingPlace(thing: Locator): Promise<{ x: number; y: number }> {
    let [before, since, middle] = ['', 0, { x: 0, y: 0 }];
    const restedFor = async () => {
      const box = await thing.boundingBox();
      if (box === null || JSON.stringify(box) !== before) since = performance.now();
      before = JSON.stringify(box);
      if (box) middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      return performance.now() - since;
    };
    await expect.poll(restedFor, { timeout: 15_000 }).toBeGreaterThan(REST_MS);
    return middle;
  }

  async document(): Promise<void> {
    await this.#page.getByRole('button', { name: 'Document' }).click();
  }

  async saved(): Promise<void> {
    await this.#page.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  }
}

/** What the only run of an app has recorded: by series, the value at each step. */
async function recordedSeries(dataFolder: string): Promise<Record<string, Map<number, number>>> {
  const [path] = readdirSync(dataFolder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('run.json'));
  const { series } = await loadRunData(new RunFolder(join(dataFolder, path ?? '', '..')));
  return Object.fromEntries(
    series.all().map(({ name, steps, values }) => [name, new Map([...steps].map((step, i) => [step, values[i] ?? Number.NaN]))]),
  );
}

/** The series of the sample, by step. */
async function sampleSeries(): Promise<Record<string, Map<number, number>>> {
  const found: Record<string, Map<number, number>> = { weight: new Map(), bias: new Map() };
  await runProgram({
    entry: programHost,
    source: { sample: 'in-graph-regression' },
    onEvent: (event) => event.kind === 'sample' && found[event.series]?.set(event.step, event.value),
  });
  return found;
}

for (const kind of windowKinds(() => display)) {
  describe.skipIf(kind.missing)(withWindow(kind), () => {
    let app: WindowApp;
    let page: Page;
    let hand: Hand;

    beforeEach(async () => {
      app = await kind.open();
      page = app.page;
      page.setDefaultTimeout(20_000);
      hand = new Hand(page);
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.evaluate("location.hash = '#/draw'");
      await page.getByRole('button', { name: 'New drawing' }).click();
      await page.getByRole('application', { name: 'The drawing' }).waitFor();
    });
    afterEach(() => app.close());

    const file = (): string =>
      join(
        app.dataFolder,
        readdirSync(app.dataFolder, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.lanflow.json')) ?? '',
      );

    it('draws the four-task regression from nothing, and its series are those of the sample', async () => {
      const { x, y } = linePoints(100);
      await hand.type('Title', 'Drawn regression');
      await hand.type('Cluster', 'canshu 2, gongzuo 2');
      await hand.type('Seed of the graph', '1');
      const [ps0, ps1, worker0, worker1] = ['canshu/task:0', 'canshu/task:1', 'gongzuo/task:0', 'gongzuo/task:1'].map(
        (task) => `/job:${task}`,
      );
      await hand.add('variable', 'weight', ps0 ?? '');
      await hand.choose('Begins with', 'uniform');
      await hand.type('Shape', '[1]');
      await hand.add('constant', 'x', worker0 ?? '');
      await hand.type('Value', JSON.stringify([...x]));
      await page.getByText('float[100]', { exact: true }).first().waitFor();
      await hand.add('mul', 'mul', worker0 ?? '');
      await hand.choose('x', 'weight');
      await hand.choose('y', 'x');
      await hand.add('variable', 'bias', ps1 ?? '');
      await hand.choose('Begins with', 'zeros');
      await hand.type('Shape', '1');
      await hand.add('add', 'prediction', worker0 ?? '');
      await hand.drawEdge('mul', 'prediction', 0);
      await hand.drawEdge('bias', 'prediction', 1);
      await hand.add('constant', 'y', worker0 ?? '');
      await hand.type('Value', JSON.stringify([...y]));
      await hand.add('sub', 'error', worker0 ?? '');
      await hand.choose('x', 'prediction');
      await hand.choose('y', 'y');
      await hand.add('square', 'square', worker0 ?? '');
      await hand.choose('x', 'error');
      await hand.add('reduce_mean', 'loss', worker0 ?? '');
      await hand.choose('input', 'square');
      await hand.add('optimizer', 'train', worker1 ?? '');
      await hand.choose('loss (optional)', 'loss');
      await hand.type('Learning rate', '0.5');
      await hand.document();
      await hand.choose('Runs', 'train');
      await hand.choose('Plots', 'weight');
      await hand.choose('Plots', 'bias');
      await hand.type('Steps', '41');
      await hand.type('Milliseconds between steps', '250');
      await page.getByText('Ready to run').waitFor();
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.waitForURL(/#\/runs\/.+/);
      const sample = await sampleSeries();
      await page.getByText('Finished', { exact: true }).first().waitFor({ timeout: 60_000 });

      const drawn = await recordedSeries(app.dataFolder);
      // The sample counts steps from 0; a run counts those that it has run.
      for (const name of ['weight', 'bias']) {
        // A run looks at its series every now and then, and at the end in any case.
        expect(drawn[name]?.get(41)).toBe(sample[name]?.get(40));
        for (const step of [0, 20]) expect(drawn[name]?.get(step + 1) ?? sample[name]?.get(step)).toBe(sample[name]?.get(step));
      }
    });

    it('refuses a connection that does not fit and says why, keeps what is drawn over a reload, and takes back and does again', async () => {
      await hand.add('constant', 'words', '');
      await hand.choose('dtype', 'string');
      await hand.type('Value', 'hello');
      await hand.add('square', 'square', '');
      const reason = await page.getByRole('combobox', { name: 'x', exact: true }).locator('option', { hasText: 'words' }).textContent();
      expect(reason).toMatch(/square cannot work with string, which words is/);
      await page.getByRole('button', { name: /square needs something connected to/ }).waitFor();

      await hand.saved();
      await page.reload();
      await hand.node('square').waitFor();
      await hand.node('words').click();
      await page.getByRole('application', { name: 'The drawing' }).press('Delete');
      await hand.node('words').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await hand.node('words').waitFor();
      await page.getByRole('button', { name: 'Redo' }).click();
      await hand.node('words').waitFor({ state: 'detached' });
      await hand.saved();
      expect(readFileSync(file(), 'utf8')).not.toContain('words');
    });

    it('shows what somebody else has written, and lets it be taken back', async () => {
      await hand.add('constant', 'mine', '');
      await hand.saved();
      writeFileSync(file(), readFileSync(file(), 'utf8').replace('"mine"', '"theirs"'));
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await hand.node('theirs').waitFor();
      await page.getByText('changed elsewhere').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await hand.node('mine').waitFor();
    });

    it('adds a node where it is dropped, and another one where it is pressed', async () => {
      const entry = page.getByRole('option', { name: 'placeholder' });
      const canvas = page.getByRole('application', { name: 'The drawing' });
      await entry.dragTo(canvas, { targetPosition: { x: 60, y: 300 } });
      await hand.node('placeholder').waitFor();
      await entry.click();
      await hand.node('placeholder_1').waitFor();
      await page.getByRole('button', { name: 'placeholder has no value' }).waitFor();
      await hand.type('Value that is fed', '[1, 2]');
      await page.getByText('2 problems').waitFor();
    });

    it('copies nodes with their connections', async () => {
      await hand.add('constant', 'c', '');
      await hand.add('square', 'square', '');
      await hand.choose('x', 'c');
      await page.getByRole('application', { name: 'The drawing' }).press('ArrowLeft');
      await hand.node('square').click({ modifiers: ['Control'] });
      await page.keyboard.press('Control+C');
      await page.keyboard.press('Control+V');
      await hand.node('square_1').waitFor();
      await hand.node('c_1').waitFor();
      await hand.saved();
      expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({ nodes: [{}, {}, {}, { name: 'square_1', inputs: ['c_1'] }] });
    });

    it('has nothing that axe minds, in both themes, as a canvas and as a table', async () => {
      await hand.add('variable', 'w', '/job:worker/task:0');
      await hand.add('matmul', 'product', '');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const view of ['Table', 'Canvas']) {
          await page.getByText(view, { exact: true }).click();
          const { violations } = await new AxeBuilder({ page }).setLegacyMode(kind.name === 'Electron').analyze();
          expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
        }
      }
    });

    it('exports the graph that it stands for', async () => {
      await hand.add('constant', 'c', '');
      await hand.saved();
      await page.getByRole('button', { name: 'Export' }).click();
      const { name, content } = await app.saved(() => page.getByRole('menuitem', { name: /pbtxt/ }).click());
      expect(name).toMatch(/\.pbtxt$/);
      expect(content.toString()).toMatch(/node \{\s+name: "c"\s+op: "Const"/);
    });
  });
}
