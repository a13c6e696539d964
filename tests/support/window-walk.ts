import type { Locator, Page } from 'playwright-core';
import type { WindowLanguage, Words } from './words.ts';

/** Makes the window speak another language than the system's, from its next load on. */
export async function speak(page: Page, language: WindowLanguage): Promise<void> {
  await page.addInitScript(`Object.defineProperty(navigator, 'language', { get: () => '${language}' })`);
}

/** Shows a screen; resolves when it is drawn. */
export async function goTo(page: Page, words: Words, screen: string): Promise<void> {
  await page.evaluate(`location.hash = '#/${screen}'`);
  await settled(page, words);
}

/** Is called with the window in some state, which it is to leave as it is. */
export type Visit = (state: string) => Promise<void>;

/** Every screen as it is at the first launch. */
export async function walkEmpty(page: Page, words: Words, visit: Visit): Promise<void> {
  for (const screen of ['home', 'machines', 'cluster', 'programs', 'draw', 'runs', 'trace', 'graph', 'settings']) {
    await goTo(page, words, screen);
    await visit(`empty-${screen}`);
  }
}

/** Every screen and dialog with something in it; with the programs of `writeOwnPrograms`. */
export async function walkFilled(page: Page, words: Words, visit: Visit): Promise<void> {
  const walk = new Walk(page, words, visit);
  await walk.programs();
  await walk.graph();
  await walk.drawing();
  await walk.machines();
  await walk.cluster();
  await walk.runs();
  await walk.trace();
  await walk.overall();
}

class Walk {
  readonly #page: Page;
  readonly #words: Words;
  readonly #visit: Visit;

  constructor(page: Page, words: Words, visit: Visit) {
    this.#page = page;
    this.#words = words;
    this.#visit = visit;
  }

  async programs(): Promise<void> {
    await this.#goTo('programs/in-graph-regression');
    await this.#visit('program-sample');
    await this.#goTo('programs/own%2Fcounting');
    await this.#page.locator('.cm-content').waitFor();
    await this.#text('code', 'noProblems').waitFor();
    await this.#visit('program-own');
    await this.#throughDialog('run-dialog', this.#button('programs', 'runOptions'));
  }

  async graph(): Promise<void> {
    await this.#goTo('graph/in-graph-regression?node=Add');
    await this.#page.locator('.svelte-flow__node[data-id="Add"]').waitFor();
    // The master has said where everything goes.
    await this.#page
      .getByRole('list', { name: this.#words('graph', 'legend') })
      .getByText('gongzuo 1')
      .waitFor();
    await this.#settled();
    await this.#visit('graph-canvas');
    await this.#choose('table');
    await this.#visit('graph-table');
  }

  async drawing(): Promise<void> {
    await this.#goTo('draw');
    await this.#visit('drawings');
    await this.#goTo('draw/own%2Fregression');
    await this.#page.locator('.svelte-flow__node[data-id="prediction"]').click();
    await this.#settled();
    await this.#visit('drawing-canvas');
    await this.#choose('table');
    await this.#visit('drawing-table');
  }

  async machines(): Promise<void> {
    await this.#goTo('machines');
    for (const [item, dialog] of [
      ['installElsewhere', 'install'],
      ['addByAddress', 'add-machine'],
      ['probe', 'probe'],
      ['diagnose', 'diagnose'],
    ] as const) {
      await this.#button('machines', 'more').click();
      await this.#page
        .getByRole('menuitem')
        .filter({ hasText: this.#words('machines', item) })
        .click();
      await this.#inDialog(`machines-${dialog}`);
    }
  }

  async cluster(): Promise<void> {
    await this.#goTo('cluster');
    // The name of this preset is the same in every language.
    await this.#page.getByRole('button', { name: /^1 ps \+ 2 workers/ }).click();
    await this.#button('cluster', 'start').waitFor();
    await this.#visit('cluster-editing');
    await this.#button('cluster', 'start').click();
    await this.#button('cluster', 'stop').waitFor();
    await this.#page
      .getByText(/2.{1,8}2/)
      .first()
      .waitFor();
    await this.#visit('cluster-running');
    await this.#throughDialog('opening-dialog', this.#button('opening', 'offer'));
  }

  async runs(): Promise<void> {
    await this.#run('own%2Ffailing');
    await this.#state('failed').waitFor();
    await this.#visit('run-failed');
    const demo = await this.#run('ps-workers');
    await this.#state('finished').waitFor();
    await this.#visit('run-finished');
    await this.#throughDialog('export-dialog', this.#page.getByRole('button', { name: `${this.#words('runs', 'export')}…` }));
    const live = await this.#run('own%2Fcounting');
    await this.#page.getByText('step 3').first().waitFor();
    await this.#visit('run-running');
    await this.#goTo('home');
    await this.#visit('home');
    await this.#goTo('runs');
    await this.#visit('runs');
    await this.#goTo(`runs/compare/${demo}/${live}`);
    await this.#visit('compare');
    await this.#goTo(`runs/${live}`);
    await this.#button('run', 'stop').click();
    await this.#state('stopped').waitFor();
  }

  async trace(): Promise<void> {
    await this.#goTo('trace');
    await this.#visit('trace');
    for (const view of ['tree', 'totals']) {
      await this.#choose(view);
      await this.#visit(`trace-${view}`);
    }
  }

  async overall(): Promise<void> {
    await this.#goTo('settings');
    await this.#page.keyboard.press('Control+k');
    await this.#inDialog('palette');
  }

  /** Runs a program from its screen; resolves with the run's id. */
  async #run(program: string): Promise<string> {
    await this.#goTo(`programs/${program}`);
    await this.#button('programs', 'run').click();
    await this.#page.waitForURL(/#\/runs\/.+/);
    return this.#page.url().split('/').at(-1) ?? '';
  }

  /** Fails if the focus does not go back to the button that has opened the dialog. */
  async #throughDialog(state: string, opener: Locator): Promise<void> {
    await opener.click();
    await this.#inDialog(state);
    const isBack = await opener.evaluate((element) => element === element.ownerDocument.activeElement);
    if (!isBack) throw new Error(`${state}: the focus has not gone back to ${opener}`);
  }

  async #inDialog(state: string): Promise<void> {
    await this.#page.getByRole('dialog').waitFor();
    await this.#settled();
    await this.#visit(state);
    await this.#page.keyboard.press('Escape');
    await this.#page.getByRole('dialog').waitFor({ state: 'detached' });
  }

  async #choose(view: string): Promise<void> {
    await this.#page.locator(`input[type="radio"][value="${view}"]`).first().locator('xpath=..').click();
    await this.#settled();
  }

  #button(area: string, key: string): Locator {
    return this.#page.getByRole('button', { name: this.#words(area, key), exact: true }).first();
  }

  #text(area: string, key: string): Locator {
    return this.#page.getByText(this.#words(area, key)).first();
  }

  #state(key: string): Locator {
    return this.#page.getByText(this.#words('runState', key), { exact: true }).first();
  }

  #goTo(screen: string): Promise<void> {
    return goTo(this.#page, this.#words, screen);
  }

  #settled(): Promise<void> {
    return settled(this.#page, this.#words);
  }
}

/** Nothing is loading, and what there is has been drawn. */
async function settled(page: Page, words: Words): Promise<void> {
  const loading = page.getByRole('status', { name: words('app', 'loading') });
  await loading.first().waitFor({ state: 'detached' });
  await page.mouse.move(0, 0);
  await page.evaluate('document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))');
}
