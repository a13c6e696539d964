import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { slicesInFile, slicesRecorded } from '../support/chrome-trace.ts';
import { type Display, startDisplay } from '../support/display.ts';
import { type ElectronApp, electronFlags, electronMissing } from '../support/electron-app.ts';
import { type PackagedBuild, packageBuild } from '../support/packaged-app.ts';
import { processesWith } from '../support/processes.ts';
import { createHome, type TemporaryHome, withWindow } from '../support/window-app.ts';

const fixture = (path: string): string => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));

/** The user who owns nothing. */
const NOBODY = 65_534;

const isLinux = process.platform === 'linux';
const name = isLinux ? withWindow({ name: 'the packaged app', missing: electronMissing }) : '[needs Linux] the packaged app';

describe.skipIf(electronMissing || !isLinux)(name, () => {
  let display: Display;
  let build: PackagedBuild;
  let home: TemporaryHome;
  let app: ElectronApp | undefined;

  beforeAll(async () => {
    [display, build] = await Promise.all([startDisplay(), packageBuild()]);
    home = createHome();
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });
  afterAll(async () => {
    await display.stop();
    build.remove();
    home.remove();
  });

  const start = async (...args: string[]): Promise<ElectronApp> => {
    app = await build.open(display, { args, home });
    return app;
  };
  const allEnd = () => expect.poll(() => processesWith(home.folder), { timeout: 5000 }).toEqual([]);
  const finished = (page: Page) => page.getByRole('button', { name: /^var\b.*\b10$/ }).waitFor();

  it('runs the demo, with no Node and no packages but its own, exports a trace, and ends with its window', async () => {
    const { page, saved, dataFolder } = await start();
    await page.getByRole('button', { name: 'Run the demo' }).click();
    await page.getByText('Finished', { exact: true }).first().waitFor();
    await finished(page);
    expect(foreignProcesses(home, build)).toEqual([]);
    await page.getByRole('link', { name: /trace/ }).last().click();
    await page.waitForURL(/#\/trace\/.+/);
    const { content } = await saved(() => page.getByRole('button', { name: 'Chrome JSON' }).click());
    expect(slicesInFile(content)).toEqual(slicesRecorded(dataFolder));
    await page.close();
    await allEnd();
  });

  it('opens files that it is started with: a run bundle and a drawn graph, by path and by URL', async () => {
    const bundle = join(home.folder, 'a run.lanflowrun');
    writeFileSync(bundle, zipOfFirstRun(join(home.folder, 'data', 'runs')));
    const { page } = await start(pathToFileURL(bundle).href);
    await page.getByText('Opened').first().waitFor();
    await finished(page);
    await app?.close();

    const graph = join(home.folder, 'regression.lanflowgraph');
    copyFileSync(fixture('documents/in-graph-regression.lanflow.json'), graph);
    const second = await start(graph);
    await second.page.waitForURL(/#\/programs\/own/);
  });

  it.each(['Quit', 'SIGKILL'])('leaves no process and no port after %s while the demo runs', async (how) => {
    const { page, electron } = await start('--demo');
    await page.getByRole('button', { name: /^var\b.*[1-9]\d*$/ }).waitFor();
    const ports = listening(home);
    expect(ports).toHaveLength(3);
    if (how === 'Quit') await electron.evaluate(({ app: shell }) => shell.quit());
    else electron.process().kill('SIGKILL');
    await allEnd();
    for (const port of ports) expect(await answers(port)).toBe(false);
  });

  it('keeps its sandbox when it is started as an ordinary user, with no flag at all', async () => {
    const own = createHome();
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      chownSync(own.folder, NOBODY, NOBODY);
      chmodSync(join(dirname(build.executable), '..'), 0o755);
      // As the .deb does where the kernel has no user namespaces.
      chmodSync(join(dirname(build.executable), 'chrome-sandbox'), 0o4755);
    }
    const env = { ...build.env(own), LANFLOW_DATA: join(own.folder, 'data'), DISPLAY: display.name };
    const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    const shell = spawn(build.executable, ['--demo'], { env, cwd: '/', stdio: 'ignore', ...user });
    const record = () => {
      const [path] = existsSync(env.LANFLOW_DATA) ? recordsIn(env.LANFLOW_DATA) : [];
      return path ? JSON.parse(readFileSync(path, 'utf8')) : {};
    };
    await expect.poll(() => record().state, { timeout: 40_000, interval: 200 }).toBe('finished');
    expect(record()).toMatchObject({ outcomes: { '/job:ps/replica:0/task:0': { finalValue: 10 } }, problems: [] });
    const commands = processesWith(own.folder).map(({ command }) => command);
    expect(commands.some((command) => command.includes('--type=renderer'))).toBe(true);
    expect(commands.filter((command) => command.includes('--no-sandbox'))).toEqual([]);
    shell.kill('SIGTERM');
    await once(shell, 'exit');
    own.remove();
  });

  it('has the command line, which runs programs of the user’s own', async () => {
    const node = join(build.parts, 'node', 'node');
    const args = [join(build.parts, 'dist/cli/index.js'), 'run', fixture('programs/double.ts'), '--local'];
    const { stdout } = await promisify(execFile)(node, args, { env: { ...build.env(home), LANFLOW_DATA: join(home.folder, 'cli') } });
    expect(stdout).toContain('"value":42');
  });

  it('keeps why it could not start: Electron’s own words, and the shell’s', async () => {
    const config = { ...build.env(home), XDG_CONFIG_HOME: join(home.folder, 'config') };
    const log = (file: string): string => readFileSync(join(home.folder, 'config/lanflow-app', file), 'utf8');
    const blind = spawn(build.executable, electronFlags(home).slice(0, -1), { env: { ...config, DISPLAY: ':nowhere' }, stdio: 'ignore' });
    const [code] = await once(blind, 'exit');
    expect(code).not.toBe(0);
    expect(log('electron.log')).toMatch(/X server|display/i);

    const env = { ...config, DISPLAY: display.name, LANFLOW_NODE: '/nowhere/node' };
    const lame = spawn(build.executable, electronFlags(home).slice(0, -1), { env, stdio: 'ignore' });
    await expect.poll(() => log('start.log'), { timeout: 10_000 }).toContain('/nowhere/node');
    lame.kill('SIGTERM');
    await once(lame, 'exit');
    await allEnd();
  });
});

/** Processes of the app that run anything but what it has brought; what keeps its log is the system's. */
function foreignProcesses(home: TemporaryHome, build: PackagedBuild): readonly string[] {
  const folder = join(build.parts, '../..');
  return processesWith(home.folder)
    .map(({ command }) => command)
    .filter((command) => !command.startsWith(folder) && !command.startsWith('tee '));
}

/** Records of the runs in a data folder. */
function recordsIn(dataFolder: string): readonly string[] {
  const names = readdirSync(dataFolder, { recursive: true, encoding: 'utf8' });
  return names.filter((path) => /^runs\/[^/]+\/run\.json$/.test(path)).map((path) => join(dataFolder, path));
}

function zipOfFirstRun(runs: string): Uint8Array {
  const [run = ''] = readdirSync(runs);
  const names = readdirSync(join(runs, run), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = names.map((entry) => join(entry.parentPath, entry.name));
  return zipSync(Object.fromEntries(files.map((path) => [path.slice(runs.length + 1), readFileSync(path)])));
}

function listening(home: TemporaryHome): readonly number[] {
  const commands = processesWith(home.folder).map(({ command }) => command);
  return [...new Set(commands.flatMap((command) => [...command.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port))))];
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.once('error', () => resolve(false));
  });
}
