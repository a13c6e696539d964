import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { describeLab } from '../support/requirements.ts';
import { type SmallBundle, smallBundle } from './support/bundles.ts';
import { Desk } from './support/desk.ts';
import { addUser, asUser, homeTree, killAgent, processesOf, startSshd } from './support/ssh-server.ts';
import { addSystemd, systemdCalls } from './support/systemd.ts';

const CLI = fileURLToPath(new URL('../../../dist/cli/index.js', import.meta.url));
const INSTALL = '.local/share/lanflow/install';

describeLab('installing by SSH', () => {
  let lab: Lab;
  let pc: LabMachine;
  let desk: Desk;
  let bundle: SmallBundle;

  const versions = async (user: string): Promise<string> =>
    (await asUser(pc, user, `cd ${INSTALL} && readlink current && ls -d *[0-9a-f][0-9a-f][0-9a-f][0-9a-f] | wc -l`)).trim();

  beforeAll(async () => {
    [lab, desk, bundle] = await Promise.all([createLab({ machines: 1, withHost: true }), Desk.open(), smallBundle()]);
    pc = lab.machine('pc1');
    await startSshd(pc);
  });

  afterAll(async () => {
    await Promise.all([lab?.destroy(), desk?.close(), bundle?.dispose()]);
  });

  it('starts an agent that outlives the connection, and uninstalling leaves the home as it was', async () => {
    await addUser(pc, 'alice');
    const before = await homeTree(pc, 'alice');
    const stages = new Set<string>();
    const installed = await desk.install(pc, bundle, { user: 'alice', onProgress: ({ stage }) => stages.add(stage) });
    expect(installed).toMatchObject({ service: 'detached', isUpgrade: false });
    expect([...stages]).toEqual(['connecting', 'probing', 'uploading', 'pairing', 'starting']);
    expect(desk.questions).toEqual([
      { host: pc.address(), type: 'ssh-ed25519', fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/) },
    ]);
    const processes = await processesOf(pc, 'alice');
    expect(processes).toEqual([expect.stringContaining('/task-server/agent.js --data /home/alice/.local/share/lanflow --lan')]);
    const again = new Set<string>();
    await desk.install(pc, bundle, { user: 'alice', onProgress: ({ stage }) => again.add(stage) });
    expect(again).not.toContain('uploading');
    expect(await processesOf(pc, 'alice')).toEqual(processes);
    expect(await desk.uninstall(pc, { user: 'alice' })).toEqual({ wasInstalled: true, hasOthers: false });
    expect(await homeTree(pc, 'alice')).toBe(before);
    expect(await processesOf(pc, 'alice')).toEqual([]);
    expect(await desk.uninstall(pc, { user: 'alice' })).toEqual({ wasInstalled: false, hasOthers: false });
  });

  it('is a service of the user that stays on after logouts, where there is systemd', async () => {
    await addUser(pc, 'bob');
    await addSystemd(pc, 'bob');
    const before = await homeTree(pc, 'bob');
    expect(await desk.install(pc, bundle, { user: 'bob' })).toMatchObject({ service: 'systemd' });
    const unit = '.config/systemd/user/lanflow-agent.service';
    expect(await asUser(pc, 'bob', `HOME=$PWD XDG_RUNTIME_DIR=/tmp systemd-analyze verify --user ${unit} 2>&1`)).toBe('');
    expect(await desk.install(pc, bundle, { user: 'bob' })).toMatchObject({ service: 'systemd' });
    await desk.uninstall(pc, { user: 'bob' });
    expect(await homeTree(pc, 'bob')).toBe(before);
    expect(await processesOf(pc, 'bob')).toEqual([]);
    const calls = await systemdCalls(pc, 'bob');
    expect(calls.filter((call) => call.startsWith('loginctl') && !call.includes('show-user'))).toEqual([
      'loginctl enable-linger bob',
      'loginctl disable-linger bob',
    ]);
    expect(calls).toContain('systemctl --user --quiet enable lanflow-agent.service');
    expect(calls).toContain('systemctl --user --quiet disable lanflow-agent.service');
  });

  it('replaces another version, and keeps the one before in case the new one does not start', async () => {
    await addUser(pc, 'carol');
    const [newer, broken] = await Promise.all([smallBundle(), smallBundle({ prelude: BROKEN })]);
    try {
      await desk.install(pc, bundle, { user: 'carol' });
      expect(await desk.install(pc, newer, { user: 'carol' })).toMatchObject({ isUpgrade: true });
      expect(await versions('carol')).toBe(`${newer.id}\n2`);
      const failed = desk.install(pc, broken, { user: 'carol' });
      await expect(failed).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
      await expect(failed).rejects.toThrow(`The agent does not start on ${pc.address()}: the port is taken. The version before runs again`);
      expect(await versions('carol')).toBe(`${newer.id}\n1`);
      expect(await processesOf(pc, 'carol')).toHaveLength(1);
    } finally {
      await Promise.all([newer.dispose(), broken.dispose()]);
    }
  });

  it('brings back an agent that was killed, also while it was being installed', async () => {
    await addUser(pc, 'dave');
    await desk.install(pc, bundle, { user: 'dave' });
    let killed: Promise<void> | undefined;
    const onProgress = ({ stage }: { stage: string }): void => {
      if (stage === 'pairing') killed = killAgent(pc, 'dave');
    };
    // It may notice, or be through already.
    await desk.install(pc, bundle, { user: 'dave', onProgress }).catch(() => undefined);
    await killed;
    await desk.install(pc, bundle, { user: 'dave' });
    expect(await processesOf(pc, 'dave')).toHaveLength(1);
  });

  it("leaves the user's own files of Lanflow there", async () => {
    await addUser(pc, 'erin');
    await asUser(pc, 'erin', 'mkdir -p .local/share/lanflow/runs && echo mine > .local/share/lanflow/runs/one');
    await desk.install(pc, bundle, { user: 'erin' });
    expect(await desk.uninstall(pc, { user: 'erin' })).toEqual({ wasInstalled: true, hasOthers: true });
    expect(await asUser(pc, 'erin', 'ls .local/share/lanflow && cat .local/share/lanflow/runs/one')).toBe('machine.json\nruns\nmine\n');
  });

  it('leaves an agent alone that somebody else has started there', async () => {
    await addUser(pc, 'frank');
    const command = `${process.execPath} ${CLI} agent`;
    await asUser(pc, 'frank', `setsid ${command} > agent.log 2>&1 < /dev/null & until grep -q ^ready agent.log; do sleep 0.1; done`);
    await expect(desk.install(pc, bundle, { user: 'frank' })).rejects.toThrow(
      /The agent does not start on .*: An agent runs on this machine already/,
    );
    expect(await processesOf(pc, 'frank')).toEqual([command]);
    expect(await asUser(pc, 'frank', 'ls .local/share/lanflow')).toBe('agent\nmachine.json\n');
    await killAgent(pc, 'frank');
  });
});

const BROKEN = `if (process.argv[2] !== 'trust') {
  console.error('lanflow agent: UNAVAILABLE: the port is taken');
  process.exit(1);
}
`;
