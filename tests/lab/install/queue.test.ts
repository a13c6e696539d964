import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleFor } from '../../../main/install/bundle/bundle.ts';
import { ownSource } from '../../../main/install/bundle/contents.ts';
import { InstallQueue } from '../../../main/install/install-queue.ts';
import type { InstallInfo, MachineInfo, SshTarget } from '../../../proto/ipc/contract.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { subnetOf } from '../support/network.ts';
import { describeLab } from '../support/requirements.ts';
import { type SmallBundle, smallBundle } from './support/bundles.ts';
import { Desk } from './support/desk.ts';
import { addUser, asUser, homeTree, processesOf, startSshd } from './support/ssh-server.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LOGIN = { user: 'student', password: 'secret', keyFile: '', passphrase: '' };

describeLab('installing on many machines', () => {
  let lab: Lab;
  let machines: readonly LabMachine[];
  let targets: readonly SshTarget[];
  let desk: Desk;
  let small: SmallBundle;

  beforeAll(async () => {
    [lab, desk, small] = await Promise.all([
      createLab({ machines: [{ name: 'desk' }, { name: 'lab-1' }, { name: 'lab-2' }], withHost: true }),
      Desk.open(),
      smallBundle(),
    ]);
    machines = ['lab-1', 'lab-2'].map((name) => lab.machine(name));
    targets = machines.map((machine) => ({ host: machine.address(), port: 22 }));
    for (const machine of machines) await Promise.all([startSshd(machine), addUser(machine, 'student')]);
  });

  afterAll(async () => {
    await Promise.all([lab?.destroy(), desk?.close(), small?.dispose()]);
  });

  function openQueue(): { queue: InstallQueue; told: (readonly InstallInfo[])[]; gone: string[] } {
    const told: (readonly InstallInfo[])[] = [];
    const gone: string[] = [];
    const { ssh, enroll } = desk;
    const queue = new InstallQueue({
      ...{ ssh, enroll, parallel: 1 },
      bundleFor: async () => small,
      componentOf: () => Promise.reject(new Error('There is no component')),
      onChange: (infos) => told.push(infos),
      onUninstalled: (machine) => gone.push(machine),
    });
    return { queue, told, gone };
  }

  const stages = (queue: InstallQueue): readonly string[] => queue.infos.map(({ stage }) => stage);

  it('asks about all host keys together, and tells how far each machine is', async () => {
    const before = await Promise.all(machines.map((machine) => homeTree(machine, 'student')));
    const { queue, told, gone } = openQueue();
    queue.install(targets, LOGIN);
    await expect.poll(() => stages(queue), { timeout: 20_000 }).toEqual(['host key', 'host key']);
    expect(queue.infos.map(({ hostKey }) => hostKey)).toEqual([expect.stringMatching(/^SHA256:/), expect.stringMatching(/^SHA256:/)]);
    queue.answerHostKeys(targets, true);
    await queue.finished();
    expect(queue.infos).toEqual(
      targets.map((target) => ({
        ...target,
        kind: 'install',
        stage: 'done',
        fraction: 0,
        hostKey: '',
        message: expect.stringContaining('runs there'),
      })),
    );
    expect(new Set(told.map((infos) => infos[1]?.stage))).toEqual(
      new Set(['connecting', 'host key', 'probing', 'uploading', 'pairing', 'starting', 'done']),
    );
    const ids = await Promise.all(machines.map((machine) => asUser(machine, 'student', 'cat .local/share/lanflow/machine.json')));
    queue.uninstall(targets, LOGIN);
    await queue.finished();
    expect(stages(queue)).toEqual(['done', 'done']);
    expect(gone.toSorted()).toEqual(ids.map((file) => (JSON.parse(file) as { content: { id: string } }).content.id).toSorted());
    queue.uninstall(targets, LOGIN);
    await queue.finished();
    expect(queue.infos.map(({ message }) => message)).toEqual(targets.map(() => 'Lanflow was not installed there'));
    expect(gone).toHaveLength(2);
    expect(await Promise.all(machines.map((machine) => homeTree(machine, 'student')))).toEqual(before);
    queue.cancel(targets);
    expect(queue.infos).toEqual([]);
  });

  it('goes on with others when one fails or is cancelled', async () => {
    const { queue } = openQueue();
    const [first, second] = targets;
    const off = { host: `${subnetOf()}.200`, port: 22 };
    if (!first || !second) throw new Error('The lab has two machines');
    queue.install([off, first, second], LOGIN);
    queue.cancel([first]);
    await queue.finished();
    expect(queue.infos.map(({ host, stage }) => [host, stage])).toEqual([
      [off.host, 'failed'],
      [first.host, 'cancelled'],
      [second.host, 'done'],
    ]);
    expect(queue.infos[0]?.message).toContain('switched off');
    queue.install([second], LOGIN);
    await queue.close();
    queue.uninstall([second], LOGIN);
    await queue.finished();
  });

  it('from the command line brings them into the lab: all of Lanflow, as it is built', async () => {
    const at = lab.machine('desk');
    const platform = { platform: process.platform, arch: process.arch };
    const { path, size } = await bundleFor(platform, {
      source: ownSource(ROOT),
      folder: `${ROOT}.cache/lab/bundles`,
      shipped: '',
      version: '0.1.0',
    });
    expect(size).toBeLessThan(60_000_000);
    await at.shell(`mkdir -p ~/.local/share/lanflow/bundles ~/.ssh && cp ${path} ~/.local/share/lanflow/bundles/`);
    const hosts = targets.map(({ host }) => `student@${host}`).join(' ');
    const lanflow = (args: string): Promise<string> =>
      at.shell(`printf 'secret\\n' | ${process.execPath} ${ROOT}dist/cli/index.js ${args}`);
    await expect(lanflow(`install ${hosts} --password-stdin`)).rejects.toThrow(/its host key is not known \(ssh-ed25519 of .*\): SHA256:/);
    const done: InstallInfo[] = JSON.parse(await lanflow(`install ${hosts} --password-stdin --accept-new --json`));
    expect(done.map(({ stage, kind }) => [stage, kind])).toEqual([
      ['done', 'install'],
      ['done', 'install'],
    ]);
    const list = async (): Promise<readonly string[]> =>
      (JSON.parse(await lanflow('machines --json')) as MachineInfo[])
        .map((each) => `${each.name} ${each.state} ${each.isInstalled}`)
        .sort();
    await expect.poll(list, { timeout: 30_000, interval: 500 }).toEqual(['desk online false', 'lab-1 online true', 'lab-2 online true']);
    expect(await lanflow(`uninstall ${hosts} --password-stdin`)).toContain('Nothing of Lanflow is left there');
    for (const machine of machines) expect(await processesOf(machine, 'student')).toEqual([]);
  });
});
