import { afterEach, beforeEach, expect, it } from 'vitest';
import { Lan } from '../../../main/machines/lan/lan.ts';
import type { MachineRecord } from '../../../main/machines/lan/machine-record.ts';
import { Members } from '../../../main/machines/lan/members.ts';
import { Lab } from '../../../main/store/lab/lab.ts';
import { LabAuthority } from '../../../main/store/lab/lab-authority.ts';
import { type LanAgent, machineOf, startLanAgent } from '../../support/lan-agent.ts';
import { makeTlsLab, type TlsLab } from '../../support/tls-lab.ts';

const here = '00000000000000aa';
const log = () => undefined;

let lab: TlsLab;
let authority: LabAuthority;
let agent: LanAgent;
let lan: Lan;
let members: Members;

beforeEach(async () => {
  lab = await makeTlsLab();
  authority = new LabAuthority({ folder: lab.folder, userName: 'teacher', machineId: async () => here, warn: log });
  agent = await startLanAgent();
  await agent.join({ lab: authority });
  const records: MachineRecord[] = [{ id: agent.machine, name: 'one', addresses: ['127.0.0.1'], port: agent.port }];
  lan = await Lan.open(
    { here, version: '1', lab: authority, isDiscovering: false, log },
    { onMachines: () => members?.update(), onProblem: () => undefined },
  );
  const memory = { read: async () => records, update: async () => undefined };
  const listener = { onMachine: () => undefined, onTasks: () => undefined, onLines: () => undefined };
  members = await Members.open({ lan, lab: authority, memory, log, listener });
});
afterEach(async () => {
  await Promise.all([members.close(), lan.close()]);
  await agent.close();
  await lab.dispose();
});

it('of what a command has revoked reaches the machines that an app is connected to', async () => {
  await expect.poll(() => members.links.get(agent.machine)?.isOnline, { timeout: 10_000 }).toBe(true);
  const bo = await lab.issue([{ kind: 'user', name: 'bo' }]);
  await machineOf(agent.as(bo));
  const other = await Lab.open({ folder: lab.folder, userName: 'teacher', warn: log });
  await other.revoke((await other.issued()).at(-1)?.serial ?? '');
  await machineOf(agent.as(bo));
  await lan.refresh();
  await expect
    .poll(
      () =>
        machineOf(agent.as(bo)).then(
          () => 'answered',
          () => 'refused',
        ),
      { timeout: 10_000 },
    )
    .toBe('refused');
  expect(members.links.get(agent.machine)?.isOnline).toBe(true);
});
