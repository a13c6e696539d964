import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Progress } from '../../../main/install/progress.ts';
import { quote } from '../../../main/install/remote/shell.ts';
import { cancelled } from '../../../proto/wire/status.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { describeLab } from '../support/requirements.ts';
import { type SmallBundle, smallBundle } from './support/bundles.ts';
import { Desk } from './support/desk.ts';
import { addUser, asUser, cutConnections, homeOf, homeTree, processesOf, startSshd } from './support/ssh-server.ts';

const INSTALL = '.local/share/lanflow/install';
const BALLAST = 24_000_000;

describeLab('an installation by SSH', () => {
  let lab: Lab;
  let pc: LabMachine;
  let desk: Desk;
  let small: SmallBundle;
  let large: SmallBundle;

  beforeAll(async () => {
    [lab, desk] = await Promise.all([createLab({ machines: 1, withHost: true }), Desk.open()]);
    [small, large] = await Promise.all([smallBundle(), smallBundle({ ballast: BALLAST })]);
    pc = lab.machine('pc1');
    await startSshd(pc);
  });

  afterAll(async () => {
    await Promise.all([lab?.destroy(), desk?.close(), small?.dispose(), large?.dispose()]);
  });

  it.each([
    [
      'glibc 2.17',
      { getconf: 'case $1 in LONG_BIT) echo 64 ;; *) echo glibc 2.17 ;; esac' },
      'Lanflow needs Linux with glibc 2.28 or newer; on HOST 2.17 was found',
    ],
    ['32-bit programs', { getconf: 'case $1 in LONG_BIT) echo 32 ;; *) echo glibc 2.36 ;; esac' }, 'HOST runs 32-bit programs only'],
    ['another processor', { uname: 'case $1 in -m) echo riscv64 ;; *) echo Linux ;; esac' }, 'HOST runs Linux riscv64'],
    ['another system', { uname: 'case $1 in -m) echo amd64 ;; *) echo FreeBSD ;; esac' }, 'HOST runs FreeBSD amd64'],
    ['a clock that is three days late', { date: 'exec /bin/date -d "3 days ago" "$@"' }, 'The clock of HOST is 3 days behind'],
  ])('is refused before it begins where there is %s', async (_, commands, message) => {
    const user = `u${Math.random().toString(36).slice(2, 10)}`;
    await addUser(pc, user);
    const files = Object.entries(commands).map(
      ([name, script]) => `echo '#!/bin/sh' > bin/${name}; cat >> bin/${name} <<'S'\n${script}\nS`,
    );
    await asUser(pc, user, `mkdir bin; echo 'PATH=$HOME/bin:$PATH' > .bashrc\n${files.join('\n')}\nchmod +x bin/*`);
    const before = await homeTree(pc, user);
    const refused = desk.install(pc, small, { user });
    await expect(refused).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    await expect(refused).rejects.toThrow(message.replace('HOST', pc.address()));
    expect(await homeTree(pc, user)).toBe(before);
  });

  it('is refused before it begins where the disk is too small or the home cannot be written', async () => {
    await addUser(pc, 'full', { disk: '20m' });
    await expect(desk.install(pc, small, { user: 'full' })).rejects.toThrow(
      /The disk of \/home\/full on .* has \d+ MB left, and Lanflow needs \d+ MB/,
    );
    expect(await homeTree(pc, 'full')).not.toContain('.local');
    await addUser(pc, 'fixed', { disk: '200m' });
    await pc.shell('mount -o remount,ro /home/fixed');
    await expect(desk.install(pc, small, { user: 'fixed' })).rejects.toMatchObject({
      codeName: 'PERMISSION_DENIED',
      message: expect.stringContaining('The home /home/fixed on'),
    });
  });

  it('that runs out of disk leaves nothing', async () => {
    await addUser(pc, 'filled', { disk: '250m' });
    const before = await homeTree(pc, 'filled');
    let filled: Promise<unknown> | undefined;
    const failed = desk.install(pc, large, {
      user: 'filled',
      onProgress: ({ stage, fraction }) => {
        if (stage === 'uploading' && fraction === 0) filled = pc.shell('dd if=/dev/zero of=/home/filled/other bs=1M 2>/dev/null || true');
      },
    });
    await expect(failed).rejects.toMatchObject({
      codeName: 'RESOURCE_EXHAUSTED',
      message: expect.stringContaining('is full; free some space'),
    });
    await filled;
    await pc.shell('rm /home/filled/other');
    expect(await homeTree(pc, 'filled')).toBe(before);
  });

  it('goes on where an interrupted one has stopped', async () => {
    await addUser(pc, 'cut');
    let cut: Promise<unknown> | undefined;
    const failed = desk.install(pc, large, {
      user: 'cut',
      onProgress: ({ fraction = 0 }) => {
        if (fraction > 0.3) cut ??= cutConnections(pc, 'cut');
      },
    });
    await expect(failed).rejects.toThrow('broke off; try again. What was uploaded stays there for the next try');
    await cut;
    const size = Number(await asUser(pc, 'cut', `cat ${INSTALL}/*.part | wc -c`));
    expect(size).toBeGreaterThan(large.size * 0.2);
    expect(size).toBeLessThan(large.size);
    const fractions: number[] = [];
    await desk.install(pc, large, { user: 'cut', onProgress: ({ fraction }) => fractions.push(fraction ?? 0) });
    expect(fractions.find((fraction) => fraction > 0)).toBeGreaterThan(size / large.size);
    expect(await processesOf(pc, 'cut')).toHaveLength(1);
  });

  it('that is cancelled leaves nothing', async () => {
    await addUser(pc, 'stopped');
    const before = await homeTree(pc, 'stopped');
    const moments: readonly (readonly [SmallBundle, (progress: Progress) => boolean])[] = [
      [large, ({ fraction = 0 }) => fraction > 0.3],
      // It is checked or unpacked then.
      [large, ({ fraction }) => fraction === 1],
      [small, ({ stage }) => stage === 'pairing'],
      [small, ({ stage }) => stage === 'starting'],
    ];
    for (const [bundle, isIt] of moments) {
      const stop = new AbortController();
      const onProgress = (progress: Progress): void => {
        if (isIt(progress)) setTimeout(() => stop.abort(cancelled('Enough')), 100);
      };
      await expect(desk.install(pc, bundle, { user: 'stopped', signal: stop.signal, onProgress })).rejects.toThrow('Enough');
      expect(await homeTree(pc, 'stopped')).toBe(before);
      expect(await processesOf(pc, 'stopped')).toEqual([]);
    }
  });

  it('waits for another one, and for none whose owner is gone', async () => {
    await addUser(pc, 'twice');
    await asUser(pc, 'twice', `mkdir -p ${INSTALL} && echo "$(uname -n) 4194000 1" > ${INSTALL}/lock`);
    const messages: string[] = [];
    const onProgress = ({ message = '' }): void => void messages.push(message);
    const both = await Promise.all([small, small].map((bundle) => desk.install(pc, bundle, { user: 'twice', onProgress })));
    expect(both).toHaveLength(2);
    expect(messages).toContain('another Lanflow installs there');
    expect(await processesOf(pc, 'twice')).toHaveLength(1);
    expect(await asUser(pc, 'twice', `ls ${INSTALL}`)).not.toContain('lock');
  });

  it('survives start files that print, odd names, and a password full of special characters, which is seen nowhere', async () => {
    const user = "o'neil $HOME";
    const password = ` it's $HOME "quoted" \`id\` \\ %h & ; `;
    await addUser(pc, user, { password });
    await asUser(pc, user, `printf '%s\\n' 'echo hello; head -c 10000 /dev/zero | tr "\\0" x; echo noise >&2' > .bashrc`);
    const before = await homeTree(pc, user);
    const watching = pc.shell('for i in $(seq 60); do ps -A -o args=; sleep 0.02; done');
    await desk.install(pc, small, { user, password });
    expect(await watching).not.toContain(password.trim());
    expect(await pc.shell(`grep -rF ${quote(password.trim())} ${quote(homeOf(user))} || true`)).toBe('');
    expect(await processesOf(pc, user)).toHaveLength(1);
    await desk.uninstall(pc, { user, password });
    expect(await homeTree(pc, user)).toBe(before);
  });

  it('says so when the account runs no commands', async () => {
    await addUser(pc, 'nobody2', { shell: '/usr/sbin/nologin' });
    await expect(desk.install(pc, small, { user: 'nobody2' })).rejects.toThrow(
      `The login shell of 'nobody2' on ${pc.address()} runs no commands; it says: This account is currently not available. Give a user who can log in there`,
    );
  });
});
