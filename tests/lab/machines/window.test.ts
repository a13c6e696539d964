import { afterAll, beforeAll, expect, it } from 'vitest';
import { electronMissing } from '../../support/electron-app.ts';
import { withWindow } from '../../support/window-app.ts';
import { addUser, startSshd } from '../install/support/ssh-server.ts';
import { announceSsh, startAvahi } from '../support/avahi.ts';
import { createLab, type Lab } from '../support/lab.ts';
import { hasAvahi } from '../support/packages.ts';
import { program } from '../support/program.ts';
import { describeLab } from '../support/requirements.ts';

const NAMES = ['lab-1', 'lab-2', 'lab-3'];
const USER = 'student';
const PASSWORD = 'one for all of them';

const missing = electronMissing || !hasAvahi();
const title = withWindow({
  name: hasAvahi() ? 'from three bare machines' : '[needs avahi] from three bare machines',
  missing: electronMissing,
});

describeLab(title, () => {
  let lab: Lab;

  beforeAll(async () => {
    if (missing) return;
    lab = await createLab({ machines: ['desk', ...NAMES].map((name) => ({ name })) });
    for (const name of NAMES) {
      const machine = lab.machine(name);
      await startSshd(machine);
      await addUser(machine, USER, { password: PASSWORD });
      await announceSsh(machine, name);
      await startAvahi(machine);
    }
  });

  afterAll(() => lab?.destroy());

  it.skipIf(missing)('to the demo on them: a minute, six clicks, one password and no address', async () => {
    const env = { LANFLOW_ELECTRON: process.env['LANFLOW_ELECTRON'] ?? '' };
    const walk = lab.machine('desk').spawn(process.execPath, [program('click-through'), String(NAMES.length), USER], { env });
    walk.write(PASSWORD);
    const { clicks, seconds, isLabShown } = JSON.parse(await walk.line((line) => line.startsWith('{')));
    expect(clicks).toBeLessThanOrEqual(6);
    expect(seconds).toBeLessThan(60);
    expect(isLabShown).toBe(true);
    expect(await walk.ended).toBe(0);
  });
});
