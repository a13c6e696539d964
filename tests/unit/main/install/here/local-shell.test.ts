import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalShell } from '../../../../../main/install/here/local-shell.ts';
import { takeLock } from '../../../../../main/install/remote/lock.ts';
import { exitStatus, runScript } from '../../../../../main/install/remote/shell.ts';
import { Code } from '../../../../../proto/wire/status.ts';

const { PATH = '' } = process.env;
const LIMITS = { limitMs: 5000, signal: undefined };

describe('the shell of this machine', () => {
  let home: string;
  let shell: LocalShell;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), `lanflow-o'neil $HOME-`));
    shell = new LocalShell({ name: 'pc1', user: 'student', home, env: { PATH, LANFLOW_PYTHON: '/python', NODE_OPTIONS: '--inspect' } });
  });
  afterEach(() => rmSync(home, { recursive: true }));

  /** The process that a script has put into the background: `Z` has ended, and waits to be noticed by its parent. */
  const background = (): string => {
    const pid = readFileSync(join(home, 'pid'), 'utf8').trim();
    return spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout.trim();
  };
  const ENDED = /^(Z.*)?$/;

  it('runs scripts in the home, with the variables of a login alone', async () => {
    const { code, stdout, stderr } = await runScript(shell, 'pwd; env; echo problem >&2; exit 3');
    expect([code, stderr]).toEqual([3, 'problem\n']);
    const [folder, ...variables] = stdout.split('\n');
    expect(folder).toBe(home);
    expect(variables).toEqual(expect.arrayContaining([`HOME=${home}`, `PATH=${PATH}`, 'USER=student', 'LOGNAME=student']));
    expect(variables.filter((variable) => /^(LANFLOW|NODE)_/.test(variable))).toEqual([]);
  });

  it('takes whatever is written to a command, or is content when it ends before it has read all', async () => {
    const input = Buffer.alloc(3_000_000, 'x');
    const counting = await shell.exec('wc -c > size');
    counting.stdin.end(input);
    expect(await exitStatus(shell, counting, LIMITS)).toBe(0);
    expect(readFileSync(join(home, 'size'), 'utf8').trim()).toBe('3000000');
    const deaf = await shell.exec('exit 4');
    deaf.stdin.end(input);
    expect(await exitStatus(shell, deaf, LIMITS)).toBe(4);
  });

  it('ends what takes too long or is cancelled, with all that it has started', async () => {
    const script = 'sleep 60 & echo $! > "$HOME/pid"; wait';
    await expect(runScript(shell, script, { limitMs: 500 })).rejects.toMatchObject({
      code: Code.DEADLINE_EXCEEDED,
      message: expect.stringMatching(/^pc1 took longer than/),
    });
    expect(background()).toMatch(ENDED);
    rmSync(join(home, 'pid'));
    const stop = new AbortController();
    const cancelled = runScript(shell, script, { signal: stop.signal });
    await expect.poll(() => existsSync(join(home, 'pid')) && background()).toMatch(/^[SR]/);
    stop.abort(new Error('Enough'));
    await expect(cancelled).rejects.toThrow('Enough');
    expect(background()).toMatch(ENDED);
  });

  it('says that no command can be run where there is no home', async () => {
    const homeless = new LocalShell({ name: 'pc1', user: 'student', home: join(home, 'gone'), env: { PATH } });
    await expect(runScript(homeless, 'true')).rejects.toMatchObject({
      code: Code.UNAVAILABLE,
      message: expect.stringMatching(/^No command can be run on pc1: /),
    });
  });

  it('holds the lock of an installation, and leaves nothing of it', async () => {
    const { signal } = new AbortController();
    const lock = await takeLock(shell, { signal, onWait: () => undefined });
    const giveUp = new AbortController();
    let waited = 0;
    const second = takeLock(shell, { signal: giveUp.signal, onWait: () => waited++ });
    await expect.poll(() => waited, { timeout: 5000 }).toBe(1);
    giveUp.abort(new Error('Enough'));
    await expect(second).rejects.toThrow('Enough');
    await lock.release();
    // Whoever does not wait any more may get it yet, and gives it back at once.
    await expect.poll(() => readdirSync(home), { timeout: 5000 }).toEqual([]);
  });
});
