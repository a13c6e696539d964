import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
    { onMachines: () => members?.update(), onLab: () => undefined, onProblem: () => undefined },
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

it('of another authority brings a certificate of it, and the old one can be forgotten', async () => {
  const link = () => members.links.get(agent.machine);
  await expect.poll(() => link()?.isOnline, { timeout: 10_000 }).toBe(true);
  const trustFile = (name: string) => readFile(join(agent.data, 'agent', 'trust', name), 'utf8');
  const before = await trustFile('cert.pem');
  await lab.lab.replaceAuthority();
  await lan.refresh();
  await expect.poll(() => trustFile('cert.pem'), { timeout: 10_000 }).not.toBe(before);
  expect((await trustFile('ca.pem')).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect((await authority.news(agent.machine)).isRenewal).toBe(false);
  expect(await lab.lab.forgetOldAuthorities()).toEqual([]);
  await lan.refresh();
  await expect.poll(async () => (await trustFile('ca.pem')).match(/BEGIN CERTIFICATE/g), { timeout: 10_000 }).toHaveLength(1);
  expect(await machineOf(agent.as(lab.user))).toMatchObject({ id: agent.machine });
});

it('of what a command has revoked reaches the machines that an app is connected to', async () => {
  await expect.poll(() => members.links.get(agent.machine)?.isOnline, { timeout: 10_000 }).toBe(true);
  // He has not heard of it himself.
  const bo = { ...(await lab.issue([{ kind: 'user', name: 'bo' }])), crl: undefined };
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
