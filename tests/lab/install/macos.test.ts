import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { describeLab } from '../support/requirements.ts';
import { type SmallBundle, smallBundle } from './support/bundles.ts';
import { Desk } from './support/desk.ts';
import { addMacCommands, launchctlCalls } from './support/macos.ts';
import { addUser, asUser, homeTree, processesOf, startSshd } from './support/ssh-server.ts';

const INSTALL = 'Library/Application\\ Support/Lanflow/install';

describeLab('a machine with the commands of macOS', () => {
  let lab: Lab;
  let mac: LabMachine;
  let desk: Desk;
  let bundle: SmallBundle;
  let newer: SmallBundle;

  beforeAll(async () => {
    [lab, desk, bundle, newer] = await Promise.all([createLab({ machines: 1, withHost: true }), Desk.open(), smallBundle(), smallBundle()]);
    mac = lab.machine('pc1');
    await startSshd(mac);
  });

  afterAll(async () => {
    await Promise.all([lab?.destroy(), desk?.close(), bundle?.dispose(), newer?.dispose()]);
  });

  it('has the agent as a service of launchd, in the folders of a Mac; upgraded and removed it leaves the home as it was', async () => {
    await addUser(mac, 'maria');
    await addMacCommands(mac, 'maria');
    const before = await homeTree(mac, 'maria');
    expect(await desk.install(mac, bundle, { user: 'maria' })).toMatchObject({ service: 'launchd', isUpgrade: false });
    const processes = await processesOf(mac, 'maria');
    expect(processes).toEqual([
      expect.stringMatching(/agent\.js --data \/home\/maria\/Library\/Application Support\/Lanflow --lan --keep-tasks$/),
    ]);
    expect(await desk.install(mac, bundle, { user: 'maria' })).toMatchObject({ service: 'launchd' });
    expect(await processesOf(mac, 'maria')).toEqual(processes);
    expect(await desk.install(mac, newer, { user: 'maria' })).toMatchObject({ service: 'launchd', isUpgrade: true, leftover: '' });
    expect((await asUser(mac, 'maria', `readlink ${INSTALL}/current`)).trim()).toBe(newer.id);
    expect(await processesOf(mac, 'maria')).toHaveLength(1);
    expect(await desk.uninstall(mac, { user: 'maria' })).toMatchObject({ wasInstalled: true, hasOthers: false });
    expect(await homeTree(mac, 'maria')).toBe(before);
    expect(await processesOf(mac, 'maria')).toEqual([]);
    const uid = (await asUser(mac, 'maria', 'id -u')).trim();
    expect((await launchctlCalls(mac, 'maria')).filter((call) => call.startsWith('launchctl bootstrap'))).toEqual(
      Array(2).fill(`launchctl bootstrap user/${uid} /home/maria/Library/LaunchAgents/org.lanflow.agent.plist`),
    );
  });

  it('has it as a process of its own where launchd refuses, and leaves nothing of it either', async () => {
    await addUser(mac, 'mario');
    await addMacCommands(mac, 'mario', { refuses: true });
    const before = await homeTree(mac, 'mario');
    expect(await desk.install(mac, bundle, { user: 'mario' })).toMatchObject({ service: 'detached' });
    expect(await processesOf(mac, 'mario')).toHaveLength(1);
    await desk.uninstall(mac, { user: 'mario' });
    expect(await homeTree(mac, 'mario')).toBe(before);
    expect(await processesOf(mac, 'mario')).toEqual([]);
  });
});
