import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleFor } from '../../../main/install/bundle/bundle.ts';
import { ownSource } from '../../../main/install/bundle/contents.ts';
import type { InstallInfo, MachineInfo } from '../../../proto/ipc/contract.ts';
import { lanflow, lanflowJson, spawnLanflow } from '../machines/support.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { describeLab } from '../support/requirements.ts';
import { addUser, processesOf, startSshd } from './support/ssh-server.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DATA = '~/.local/share/lanflow';

/** All of Lanflow, as it is built. */
describeLab('installing from the command line', () => {
  let lab: Lab;
  let desk: LabMachine;
  /** Nobody can log in there by SSH. */
  let pc: LabMachine;
  let remote: readonly LabMachine[];
  let bundle: string;

  const list = async (): Promise<readonly string[]> =>
    (await lanflowJson<MachineInfo[]>(desk, 'machines')).map((each) => `${each.name} ${each.state} ${each.isInstalled}`).sort();
  const install = (machine: LabMachine, verb: 'install' | 'uninstall') => lanflowJson<InstallInfo[]>(machine, verb, '--here');
  const filesOf = (machine: LabMachine) => machine.shell("cd && find . -printf '%p %m %l\\n' | sort");
  /** To be used in place of one that each machine makes. */
  const bringBundle = (machine: LabMachine) => machine.shell(`mkdir -p ${DATA}/bundles && cp ${bundle} ${DATA}/bundles/`);

  beforeAll(async () => {
    const platform = { platform: process.platform, arch: process.arch };
    const env = { source: ownSource(ROOT), folder: `${ROOT}.cache/lab/bundles`, shipped: '', version: '0.1.0' };
    const [made, { path, size }] = await Promise.all([
      createLab({ machines: ['desk', 'lab-1', 'lab-2', 'pc'].map((name) => ({ name })) }),
      bundleFor(platform, env),
    ]);
    [lab, bundle] = [made, path];
    expect(size).toBeLessThan(60_000_000);
    [desk, pc, remote] = [lab.machine('desk'), lab.machine('pc'), ['lab-1', 'lab-2'].map((name) => lab.machine(name))];
    for (const machine of remote) await Promise.all([startSshd(machine), addUser(machine, 'student')]);
    await bringBundle(desk);
  });

  afterAll(() => lab?.destroy());

  it('brings other machines into the lab', async () => {
    await desk.shell('mkdir -p ~/.ssh');
    const hosts = remote.map((machine) => `student@${machine.address()}`).join(' ');
    const remotely = (args: string): Promise<string> =>
      desk.shell(`printf 'secret\\n' | ${process.execPath} ${ROOT}dist/cli/index.js ${args}`);
    await expect(remotely(`install ${hosts} --password-stdin`)).rejects.toThrow(/its host key is not known \(ssh-ed25519 of .*\): SHA256:/);
    const done: InstallInfo[] = JSON.parse(await remotely(`install ${hosts} --password-stdin --accept-new --json`));
    expect(done.map(({ stage, kind }) => [stage, kind])).toEqual([
      ['done', 'install'],
      ['done', 'install'],
    ]);
    await expect.poll(list, { timeout: 30_000, interval: 500 }).toEqual(['desk online false', 'lab-1 online true', 'lab-2 online true']);
    expect(await remotely(`uninstall ${hosts} --password-stdin`)).toContain('Nothing of Lanflow is left there');
    for (const machine of remote) expect(await processesOf(machine, 'student')).toEqual([]);
  });

  it("makes the owner's own machine one of the lab, without SSH, and commands use the agent that is there then", async () => {
    expect(await install(desk, 'install')).toMatchObject([
      { host: 'desk', stage: 'done', message: expect.stringMatching(/^The agent runs there .* It is a machine of your lab$/) },
    ]);
    const own = await lanflowJson<MachineInfo[]>(desk, 'machines');
    expect(own.find(({ isThis }) => isThis)).toMatchObject({ name: 'desk', state: 'online', isInstalled: true });
    expect(await install(desk, 'uninstall')).toMatchObject([
      { kind: 'uninstall', stage: 'done', message: expect.stringContaining('own Lanflow') },
    ]);
  });

  it('brings a machine without an SSH server what its PIN makes one of the lab, and leaves nothing there', async () => {
    await pc.shell(`mkdir -p ${DATA}`);
    const before = await filesOf(pc);
    await bringBundle(pc);
    expect(await install(pc, 'install')).toMatchObject([
      { stage: 'done', message: expect.stringContaining('It belongs to no lab yet: lanflow agent --pin') },
    ]);
    const [, pin = ''] = /^pairing PIN (.*)$/m.exec(await lanflow(pc, 'agent', '--pin')) ?? [];
    const { id } = await lanflowJson<MachineInfo>(desk, 'pair', 'pc', '--pin', pin);
    await desk.shell(`printf '{"worker": ["${id}:0"]}' > cluster.json`);
    await lanflow(desk, 'cluster', 'import', 'cluster.json', '--title', 'One');
    const up = spawnLanflow(desk, 'cluster', 'up', 'One');
    expect(await up.line((line) => line.startsWith('ready '))).toContain(pc.address());
    up.kill('SIGTERM');
    expect(await up.ended).toBe(0);
    expect(await install(pc, 'install')).toMatchObject([{ message: expect.stringMatching(/It belongs to lab \w+$/) }]);
    await pc.shell(`rm -r ${DATA}/bundles`);
    expect(await install(pc, 'uninstall')).toMatchObject([{ message: 'Nothing of Lanflow is left there' }]);
    expect(await filesOf(pc)).toBe(before);
    expect(await pc.shell('ps -e -o args= | grep [t]ask-server || true')).toBe('');
  });
});
