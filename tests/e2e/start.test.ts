import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Display, startDisplay } from '../support/display.ts';
import { electronMissing, requireElectron } from '../support/electron-app.ts';
import { processesWith } from '../support/processes.ts';
import { createHome, type TemporaryHome, withWindow } from '../support/window-app.ts';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

async function say(args: readonly string[], env: Readonly<Record<string, string>>): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

describe.runIf(process.platform === 'linux')('without a display', () => {
  it.each([
    ['npm start', ['scripts/start.mjs']],
    ['lanflow app', ['dist/cli/index.js', 'app']],
  ])('%s says so in one line, and what to do instead', async (_name, [program = '', ...args]) => {
    const { code, stderr } = await say([file(program), ...args], {});
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    for (const words of ['no display', 'npm run demo', 'lanflow web']) expect(stderr).toContain(words);
  });
});

it('lanflow app names the Electron that is not there', async () => {
  const { code, stderr } = await say([file('dist/cli/index.js'), 'app'], { DISPLAY: ':0', LANFLOW_ELECTRON: '/nowhere/electron' });
  expect(code).toBe(1);
  expect(stderr).toContain('/nowhere/electron');
});

describe.skipIf(electronMissing)(withWindow({ name: 'lanflow app', missing: electronMissing }), () => {
  let display: Display;
  let home: TemporaryHome;

  beforeAll(async () => {
    display = await startDisplay();
    home = createHome();
  });
  afterAll(async () => {
    await display.stop();
    home.remove();
  });

  it('opens the app, and SIGTERM ends it with all its processes', async () => {
    const env = { ...process.env, ...home.env, DISPLAY: display.name, LANFLOW_ELECTRON: requireElectron() };
    const child = spawn(process.execPath, [file('dist/cli/index.js'), 'app'], { env, stdio: 'ignore' });
    await expect
      .poll(() => processesWith(home.folder).some(({ command }) => command.includes('core/index.js')), { timeout: 20_000 })
      .toBe(true);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(processesWith(home.folder)).toEqual([]);
  });
});
