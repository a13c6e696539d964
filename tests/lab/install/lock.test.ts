import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeLock } from '../../../main/install/remote/lock.ts';
import type { RemoteLock } from '../../../main/install/remote/steps.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { describeLab } from '../support/requirements.ts';
import { smallBundle } from './support/bundles.ts';
import { Desk } from './support/desk.ts';
import { addUser, asUser, startSshd } from './support/ssh-server.ts';

const INSTALL = '.local/share/lanflow/install';
const LOCK = `${INSTALL}/lock`;

describeLab('the lock of an installation by SSH', () => {
  let lab: Lab;
  let pc: LabMachine;
  let desk: Desk;

  beforeAll(async () => {
    [lab, desk] = await Promise.all([createLab({ machines: 1, withHost: true }), Desk.open()]);
    pc = lab.machine('pc1');
    await startSshd(pc);
  });

  afterAll(async () => {
    await Promise.all([lab?.destroy(), desk?.close()]);
  });

  const { signal } = new AbortController();
  /** As if nothing had been heard of its owner for so long. */
  const age = (user: string, seconds: number): Promise<string> => asUser(pc, user, `touch -d '${seconds} seconds ago' ${LOCK}`);

  it('is kept fresh by its owner', async () => {
    await addUser(pc, 'fresh');
    const ssh = await desk.connect(pc, { user: 'fresh' });
    const lock = await takeLock(ssh, { signal, onWait: () => undefined });
    await age('fresh', 50);
    await expect.poll(() => asUser(pc, 'fresh', `find ${LOCK} -newermt '20 seconds ago'`), { timeout: 15_000 }).toContain('lock');
    await lock.release();
    expect(lock.lost.aborted).toBe(false);
    expect(await asUser(pc, 'fresh', 'ls -A')).toBe('');
    ssh.close();
  });

  it('is taken over, and its owner ended and told, when that has been silent for a minute', async () => {
    await addUser(pc, 'silent');
    const [silent, next] = await Promise.all([desk.connect(pc, { user: 'silent' }), desk.connect(pc, { user: 'silent' })]);
    const first = await takeLock(silent, { signal, onWait: () => undefined });
    const owner = (await asUser(pc, 'silent', `cut -d' ' -f2 ${LOCK}`)).trim();
    await age('silent', 70);
    const second = await takeLock(next, { signal, onWait: () => undefined });
    expect(await asUser(pc, 'silent', `cut -d' ' -f2 ${LOCK}; kill -0 ${owner} 2>/dev/null || echo gone`)).toMatch(/^\d+\ngone\n$/);
    await expect.poll(() => first.lost.reason).toMatchObject({ codeName: 'UNAVAILABLE' });
    await first.release();
    await second.release();
    expect(await asUser(pc, 'silent', 'ls -A')).toBe('');
    for (const ssh of [silent, next]) ssh.close();
  });

  it('that was taken over leaves what is there to the next one', async () => {
    await addUser(pc, 'robbed');
    const slow = await smallBundle({ prelude: SLOW_START });
    const next = await desk.connect(pc, { user: 'robbed' });
    try {
      let second: Promise<RemoteLock> | undefined;
      const onProgress = ({ stage }: { stage: string }): void => {
        if (stage === 'starting') second = age('robbed', 70).then(() => takeLock(next, { signal, onWait: () => undefined }));
      };
      await expect(desk.install(pc, slow, { user: 'robbed', onProgress })).rejects.toThrow('heard nothing of this work for a minute');
      expect(await asUser(pc, 'robbed', `ls ${INSTALL}`)).toContain(slow.id);
      await (await second)?.release();
      await desk.uninstall(pc, { user: 'robbed' });
      expect(await asUser(pc, 'robbed', 'ls -A')).toBe('');
    } finally {
      next.close();
      await slow.dispose();
    }
  });
});

const SLOW_START = `if (process.argv[2] !== 'trust') await new Promise((resolve) => setTimeout(resolve, 5000));
`;
