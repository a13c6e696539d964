import { afterAll, beforeAll, expect, it } from 'vitest';
import { InstallQueue } from '../../../main/install/install-queue.ts';
import type { InstallInfo, SshTarget } from '../../../proto/ipc/contract.ts';
import { createLab, type Lab } from '../support/lab.ts';
import type { LabMachine } from '../support/machine.ts';
import { subnetOf } from '../support/network.ts';
import { describeLab } from '../support/requirements.ts';
import { type SmallBundle, smallBundle } from './support/bundles.ts';
import { Desk } from './support/desk.ts';
import { addUser, asUser, homeTree, startSshd } from './support/ssh-server.ts';

const LOGIN = { user: 'student', password: 'secret', keyFile: '', passphrase: '' };

describeLab('installing on many machines', () => {
  let lab: Lab;
  let machines: readonly LabMachine[];
  let targets: readonly SshTarget[];
  let desk: Desk;
  let small: SmallBundle;

  beforeAll(async () => {
    [lab, desk, small] = await Promise.all([
      createLab({ machines: [{ name: 'lab-1' }, { name: 'lab-2' }], withHost: true }),
      Desk.open(),
      smallBundle(),
    ]);
    ({ machines } = lab);
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
});
