import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeComponent } from '../../support/stand-in-component.ts';
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
    await addUser(pc, 'student');
    const before = await homeTree(pc, 'student');
    const stages = new Set<string>();
    const installed = await desk.install(pc, bundle, { user: 'student', onProgress: ({ stage }) => stages.add(stage) });
    expect(installed).toMatchObject({ service: 'detached', isUpgrade: false });
    expect([...stages]).toEqual(['connecting', 'probing', 'uploading', 'pairing', 'starting']);
    expect(desk.questions).toEqual([
      { host: pc.address(), type: 'ssh-ed25519', fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/) },
    ]);
    const processes = await processesOf(pc, 'student');
    expect(processes).toEqual([expect.stringContaining('/task-server/agent.js --data /home/student/.local/share/lanflow --lan')]);
    const again = new Set<string>();
    await desk.install(pc, bundle, { user: 'student', onProgress: ({ stage }) => again.add(stage) });
    expect(again).not.toContain('uploading');
    expect(await processesOf(pc, 'student')).toEqual(processes);
    const id = expect.stringMatching(/^[0-9a-f]{16}$/);
    expect(await desk.uninstall(pc, { user: 'student' })).toEqual({ wasInstalled: true, machine: id, hasOthers: false });
    expect(await homeTree(pc, 'student')).toBe(before);
    expect(await processesOf(pc, 'student')).toEqual([]);
    expect(await desk.uninstall(pc, { user: 'student' })).toEqual({ wasInstalled: false, machine: '', hasOthers: false });
  });

  it('is a service of the user that stays on after logouts, where there is systemd', async () => {
    await addUser(pc, 'lodger');
    await addSystemd(pc, 'lodger');
    const before = await homeTree(pc, 'lodger');
    expect(await desk.install(pc, bundle, { user: 'lodger' })).toMatchObject({ service: 'systemd' });
    const unit = '.config/systemd/user/lanflow-agent.service';
    expect(await asUser(pc, 'lodger', `HOME=$PWD XDG_RUNTIME_DIR=/tmp systemd-analyze verify --user ${unit} 2>&1`)).toBe('');
    expect(await desk.install(pc, bundle, { user: 'lodger' })).toMatchObject({ service: 'systemd' });
    await desk.uninstall(pc, { user: 'lodger' });
    expect(await homeTree(pc, 'lodger')).toBe(before);
    expect(await processesOf(pc, 'lodger')).toEqual([]);
    const calls = await systemdCalls(pc, 'lodger');
    expect(calls.filter((call) => call.startsWith('loginctl') && !call.includes('show-user'))).toEqual([
      'loginctl enable-linger lodger',
      'loginctl disable-linger lodger',
    ]);
    expect(calls).toContain('systemctl --user --quiet enable lanflow-agent.service');
    expect(calls).toContain('systemctl --user --quiet disable lanflow-agent.service');
  });

  it('brings a component too, which stays through upgrades and goes when all goes', async () => {
    await addUser(pc, 'gpu');
    const before = await homeTree(pc, 'gpu');
    const work = await mkdtemp(join(tmpdir(), 'lanflow-component-'));
    const newer = await smallBundle();
    const there = () => asUser(pc, 'gpu', `cd ${INSTALL}/components && readlink current && ls`);
    try {
      const [component, broken] = [join(work, 'good'), join(work, 'broken')];
      await makeComponent(component);
      await makeComponent(broken, { code: "throw new Error('libcudnn.so.8: cannot open shared object file');" });
      await expect(desk.install(pc, bundle, { user: 'gpu', component: broken })).rejects.toMatchObject({
        message: expect.stringMatching(/tfjs-node-gpu does not load on .*: Error: libcudnn\.so\.8: cannot open shared object file$/),
      });
      expect(await homeTree(pc, 'gpu')).toBe(before);
      await desk.install(pc, bundle, { user: 'gpu', component });
      const found = await there();
      expect(found).toMatch(/^([0-9a-f]{16})\n\1\ncurrent\n$/);
      await desk.install(pc, newer, { user: 'gpu' });
      expect(await there()).toBe(found);
      await desk.uninstall(pc, { user: 'gpu' });
      expect(await homeTree(pc, 'gpu')).toBe(before);
    } finally {
      await Promise.all([newer.dispose(), rm(work, { recursive: true })]);
    }
  });

  it('replaces another version, and keeps the one before in case the new one does not start', async () => {
    await addUser(pc, 'upgraded');
    const [newer, broken] = await Promise.all([smallBundle(), smallBundle({ prelude: BROKEN })]);
    try {
      await desk.install(pc, bundle, { user: 'upgraded' });
      expect(await desk.install(pc, newer, { user: 'upgraded' })).toMatchObject({ isUpgrade: true });
      expect(await versions('upgraded')).toBe(`${newer.id}\n2`);
      const failed = desk.install(pc, broken, { user: 'upgraded' });
      await expect(failed).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
      await expect(failed).rejects.toThrow(`The agent does not start on ${pc.address()}: the port is taken. The version before runs again`);
      expect(await versions('upgraded')).toBe(`${newer.id}\n1`);
      expect(await processesOf(pc, 'upgraded')).toHaveLength(1);
    } finally {
      await Promise.all([newer.dispose(), broken.dispose()]);
    }
  });

  it('is good though an earlier version cannot be removed, and takes what is left of that for no version', async () => {
    await addUser(pc, 'sticky');
    const [second, third] = await Promise.all([smallBundle(), smallBundle()]);
    try {
      await desk.install(pc, bundle, { user: 'sticky' });
      expect(await desk.install(pc, second, { user: 'sticky' })).toMatchObject({ leftover: '' });
      await asUser(pc, 'sticky', `chmod 555 ${INSTALL}/${bundle.id}`);
      const { leftover } = await desk.install(pc, third, { user: 'sticky' });
      expect(leftover).toMatch(/^Not all files of Lanflow on .* could be removed: rm: .*denied/);
      expect((await asUser(pc, 'sticky', `ls -d ${INSTALL}/${bundle.id}*`)).trim()).toBe(`${INSTALL}/${bundle.id}.old`);
      expect(await processesOf(pc, 'sticky')).toHaveLength(1);
      await asUser(pc, 'sticky', `chmod 755 ${INSTALL}/${bundle.id}.old`);
      expect(await desk.install(pc, third, { user: 'sticky' })).toMatchObject({ leftover: '' });
      expect(await versions('sticky')).toBe(`${third.id}\n1`);
    } finally {
      await Promise.all([second.dispose(), third.dispose()]);
    }
  });

  it('brings back an agent that was killed, also while it was being installed', async () => {
    await addUser(pc, 'killed');
    await desk.install(pc, bundle, { user: 'killed' });
    let killed: Promise<void> | undefined;
    const onProgress = ({ stage }: { stage: string }): void => {
      if (stage === 'pairing') killed = killAgent(pc, 'killed');
    };
    // It may notice, or be through already.
    await desk.install(pc, bundle, { user: 'killed', onProgress }).catch(() => undefined);
    await killed;
    await desk.install(pc, bundle, { user: 'killed' });
    expect(await processesOf(pc, 'killed')).toHaveLength(1);
  });

  it('brings back an agent whose process id is another process of the user by now', async () => {
    await addUser(pc, 'reused');
    await desk.install(pc, bundle, { user: 'reused' });
    await killAgent(pc, 'reused');
    const other = (await asUser(pc, 'reused', `setsid sleep 1000 > /dev/null 2>&1 & echo $! | tee ${INSTALL}/agent.pid`)).trim();
    await desk.install(pc, bundle, { user: 'reused' });
    expect(await processesOf(pc, 'reused')).toEqual(['sleep 1000', expect.stringContaining('agent.js')]);
    await pc.shell(`kill ${other}`);
  });

  it("leaves the user's own files of Lanflow there", async () => {
    await addUser(pc, 'shared');
    await asUser(pc, 'shared', 'mkdir -p .local/share/lanflow/runs && echo mine > .local/share/lanflow/runs/one');
    await desk.install(pc, bundle, { user: 'shared' });
    expect(await desk.uninstall(pc, { user: 'shared' })).toMatchObject({ wasInstalled: true, hasOthers: true });
    expect(await asUser(pc, 'shared', 'ls .local/share/lanflow && cat .local/share/lanflow/runs/one')).toBe('machine.json\nruns\nmine\n');
  });

  it('leaves an agent alone that somebody else has started there', async () => {
    await addUser(pc, 'watched');
    const command = `${process.execPath} ${CLI} agent`;
    await asUser(pc, 'watched', `setsid ${command} > agent.log 2>&1 < /dev/null & until grep -q ^ready agent.log; do sleep 0.1; done`);
    const before = await homeTree(pc, 'watched');
    const pid = JSON.parse(await asUser(pc, 'watched', 'cat .local/share/lanflow/agent/agent.json')).pid as number;
    const stages: string[] = [];
    const refused = desk.install(pc, bundle, { user: 'watched', onProgress: ({ stage }) => stages.push(stage) });
    await expect(refused).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
    await expect(refused).rejects.toThrow(`runs on ${pc.address()}, with process id ${pid}. Stop it there`);
    expect(stages).toEqual(['connecting', 'probing']);
    expect(await processesOf(pc, 'watched')).toEqual([command]);
    expect(await homeTree(pc, 'watched')).toBe(before);
    await killAgent(pc, 'watched');
  });
});

const BROKEN = `if (process.argv[2] !== 'trust') {
  console.error('lanflow agent: UNAVAILABLE: the port is taken');
  process.exit(1);
}
`;
