import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ShellBridge } from '#proto/ipc/bridge.ts';
import { CONTENT_SECURITY_POLICY } from '#proto/ipc/content-security-policy.ts';
import { type Display, startDisplay } from '../support/display.ts';
import { type ElectronApp, electronArguments, electronMissing, openElectron, requireElectron } from '../support/electron-app.ts';
import { createHome, withWindow } from '../support/window-app.ts';

/** As the page sees itself. */
declare const window: { readonly lanflow: ShellBridge; open(url: string): unknown };
declare const location: { href: string };

describe.skipIf(electronMissing)(withWindow({ name: 'the shell', missing: electronMissing }), () => {
  let display: Display;
  let app: ElectronApp;

  beforeAll(async () => {
    display = await startDisplay();
  });
  afterEach(async () => {
    await app.close();
    app.home.remove();
  });
  afterAll(() => display.stop());

  const open = async (...args: Parameters<typeof openElectron> extends [Display, ...infer R] ? R : never): Promise<Page> => {
    app = await openElectron(display, ...args);
    return app.page;
  };

  it('gives the page its bridge and its policy, and nothing of Node', async () => {
    const page = await open();
    expect(await page.evaluate(() => Object.keys(window.lanflow).sort())).toEqual(['call', 'listen', 'send']);
    expect(await page.evaluate(() => ['require', 'process', 'module', 'Buffer'].filter((name) => name in globalThis))).toEqual([]);
    const policy = await page.evaluate(async () => (await fetch(location.href)).headers.get('content-security-policy'));
    expect(policy).toBe(CONTENT_SECURITY_POLICY);
  });

  it('stays on its page: links go to the browser if they are https, everything else goes nowhere', async () => {
    const page = await open();
    await app.electron.evaluate(({ shell }) => {
      shell.openExternal = async (url) => {
        process.env['TEST_OPENED'] = `${process.env['TEST_OPENED'] ?? ''} ${url}`;
      };
    });
    const address = page.url();
    for (const url of ['https://example.org/help', 'http://example.org', 'file:///etc/passwd'])
      await page.evaluate((to) => {
        window.open(to);
        location.href = to;
      }, url);
    expect(await page.evaluate(() => fetch('https://example.org').catch(() => 'refused'))).toBe('refused');
    expect(page.url()).toBe(address);
    expect(app.electron.windows()).toHaveLength(1);
    expect(await app.electron.evaluate(() => process.env['TEST_OPENED'])).toBe(' https://example.org/help https://example.org/help');
  });

  it('refuses every permission but copying', async () => {
    const page = await open();
    expect(await page.evaluate('Notification.requestPermission()')).toBe('denied');
    expect(await page.evaluate(`navigator.clipboard.writeText('7').then(() => 'copied')`)).toBe('copied');
    expect(await page.evaluate(`navigator.clipboard.readText().catch(() => 'refused')`)).toBe('refused');
  });

  it('answers only calls that it knows, with arguments that are right', async () => {
    const page = await open();
    const call = (name: string, argument: unknown) =>
      page.evaluate(([n, a]) => window.lanflow.call(n as 'restartCore', a as null), [name, argument] as const);
    expect(await call('constructor', null)).toEqual({ ok: false, code: 3, message: 'The shell has no call constructor' });
    expect(await call('saveFile', { name: 'a', content: 'text' })).toEqual({ ok: false, code: 3, message: 'content must be bytes' });
    expect(await call('showInFolder', { path: 'relative' })).toMatchObject({ ok: false, code: 3 });
    expect(await call('setAppearance', { theme: 'pink', language: 'en' })).toMatchObject({ ok: false, code: 3 });
  });

  it('saves a file whole, where the user wants it, and not when they change their mind', async () => {
    const page = await open();
    const save = () => page.evaluate(() => window.lanflow.call('saveFile', { name: '../a.bin', content: new Uint8Array([1, 2]) }));
    const file = await app.saved(async () => {
      expect(await save()).toEqual({ ok: true, value: { path: join(app.home.folder, 'a.bin') } });
    });
    expect([...file.content]).toEqual([1, 2]);
    await app.electron.evaluate(({ dialog }) => {
      dialog.showSaveDialog = async () => ({ canceled: true, filePath: '' });
    });
    expect(await save()).toEqual({ ok: true, value: null });
  });

  it('has a menu that leads to every screen', async () => {
    const page = await open();
    const choose = (label: string) =>
      app.electron.evaluate(({ Menu }, text) => {
        const items = Menu.getApplicationMenu()?.items.flatMap(({ submenu }) => submenu?.items ?? []);
        items?.find((item) => item.label.replace('&', '') === text)?.click();
      }, label);
    const screens = {
      ...{ Machines: 'machines', Cluster: 'cluster', Programs: 'programs', Draw: 'draw', Runs: 'runs', Traces: 'trace' },
      ...{ 'Settings…': 'settings', Home: 'home' },
    };
    for (const [label, screen] of Object.entries(screens)) {
      await choose(label);
      await page.waitForURL(`**/index.html#/${screen}`);
    }
  });

  it('remembers size and place of its window, theme and language', async () => {
    const home = createHome();
    const bounds = { x: 140, y: 90, width: 1100, height: 700 };
    const page = await open({ home });
    await page.evaluate(`location.hash = '#/settings'`);
    await page.getByText('Dark', { exact: true }).click();
    await page.getByText('简体中文').click();
    await page.getByText('深色').waitFor();
    await app.electron.evaluate(({ BrowserWindow }, wanted) => BrowserWindow.getAllWindows()[0]?.setBounds(wanted), bounds);
    const seen = () =>
      app.electron.evaluate(({ BrowserWindow, Menu, nativeTheme }) => ({
        bounds: BrowserWindow.getAllWindows()[0]?.getNormalBounds(),
        theme: nativeTheme.themeSource,
        menu: Menu.getApplicationMenu()?.items[0]?.label,
      }));
    const chosen = { bounds, theme: 'dark', menu: '文件(&F)' };
    await expect.poll(seen, { timeout: 10_000 }).toEqual(chosen);
    await app.close();
    await open({ home });
    await expect.poll(seen, { timeout: 10_000 }).toEqual(chosen);
  });

  it('hands files of a second start to the window that is there', async () => {
    const page = await open();
    const file = join(app.home.folder, 'not a bundle.zip');
    writeFileSync(file, 'nonsense');
    const env = { ...process.env, ...app.home.env, DISPLAY: display.name };
    const second = spawn(requireElectron(), electronArguments(app.home, [file]), { env, stdio: 'ignore' });
    expect(await once(second, 'exit')).toEqual([0, null]);
    await page.getByText('not a bundle.zip is no zip file').waitFor();
  });

  it('starts the demo when it is asked to on the command line', async () => {
    const page = await open({ args: ['--demo'] });
    await page.waitForURL(/#\/runs\/.+/);
    expect(await page.title()).toContain('Lanflow');
  });
});
