import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentService } from '#proto/generated/lanflow/agent_pb.ts';
import { PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { readIdentities } from '#proto/trust/identity.ts';
import { Lan } from '../../../main/machines/lan/lan.ts';
import { Members } from '../../../main/machines/lan/members.ts';
import { LabAuthority } from '../../../main/store/lab/lab-authority.ts';
import { userFiles } from '../../../main/store/lab/lab-storage.ts';
import { runCli } from '../../support/cli.ts';
import { admit, type LanAgent, machineOf, startLanAgent } from '../../support/lan-agent.ts';
import { makeTlsLab, type TlsLab } from '../../support/tls-lab.ts';

describe('a guest of a lab', () => {
  let lab: TlsLab;
  let agent: LanAgent;
  let second: LanAgent | undefined;
  let guest: string;

  beforeEach(async () => {
    lab = await makeTlsLab();
    agent = await startLanAgent();
    await agent.join(lab);
    guest = await mkdtemp(join(tmpdir(), 'lanflow-guest-'));
    const { key, request } = await makeRequest('bo');
    await as(guest).join({ ...(await as(lab.folder).admitUser('bo', request)), key });
    await writeFile(join(guest, 'machines.json'), JSON.stringify({ version: 1, content: records() }));
  });
  afterEach(async () => {
    await Promise.all([agent.close(), second?.close()]);
    second = undefined;
    await lab.dispose();
    await rm(guest, { recursive: true });
  });

  const records = () => [{ id: agent.machine, name: 'one', addresses: ['127.0.0.1'], port: agent.port }];
  const as = (folder: string) => new LabAuthority({ folder, userName: 'bo', machineId: async () => '', warn: () => undefined });
  /** What becomes of the connection of an app to the machine; what both have to tell each other is told. */
  async function dial(folder: string): Promise<string> {
    const listener = { onMachine: () => undefined, onTasks: () => undefined, onLines: () => undefined };
    const [log, here, authority] = [() => undefined, '00000000000000aa', as(folder)];
    const env = { here, version: '1', lab: authority, isDiscovering: false, log };
    const lan = await Lan.open(env, { onMachines: () => members?.update(), onLab: () => undefined, onProblem: () => undefined });
    const memory = { read: async () => records(), update: async () => undefined };
    let members: Members | undefined;
    members = await Members.open({ lan, lab: authority, memory, log, listener });
    const link = members.links.get(agent.machine);
    await link?.whenKnown();
    const outcome = link?.error?.message ?? 'online';
    await Promise.all([members.close(), lan.close()]);
    return outcome;
  }

  const filesOf = (folder: string) =>
    Promise.all([userFiles(folder).ca, userFiles(folder).crl ?? ''].map(async (path) => (await readFile(path, 'utf8')).trim()));
  /** Tells the agent what is new, and gives it a certificate of the newest authority. */
  const tellAgent = async (): Promise<void> => {
    const owner = agent.as(lab.user);
    const { machine, request } = await owner.unary(AgentService.method.requestCertificate, {});
    await owner.unary(AgentService.method.setTrust, await admit(lab.lab, machine, request));
  };
  const revokeGuest = async (): Promise<void> => {
    await lab.lab.revoke(new X509Certificate(await readFile(userFiles(guest).cert)).fingerprint256);
    await tellAgent();
  };

  it('hears from a machine of what was revoked, and of an authority that he does not know yet', async () => {
    await lab.issue([{ kind: 'user', name: 'eve' }]);
    await lab.lab.revoke((await lab.lab.issued()).at(-1)?.serial ?? '');
    await lab.lab.replaceAuthority();
    await tellAgent();
    expect(await dial(guest)).toBe('online');
    const [authority, revocations] = await filesOf(guest);
    expect([authority, revocations]).toEqual(await filesOf(lab.folder));
    expect(await machineOf(agent.as(userFiles(guest)))).toMatchObject({ id: agent.machine });
  });

  it('who was revoked is told so, and how to come back', async () => {
    await revokeGuest();
    const { stdout } = await runCli(['machines'], { dataFolder: guest });
    expect(stdout).toMatch(/Your certificate of lab [0-9a-f]{16} has been revoked; .*lanflow lab invite/);
    // With what he had heard before he comes no further.
    await expect(machineOf(agent.as({ ...userFiles(guest), crl: undefined }))).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
  });

  it('who was away while the authority was replaced and forgotten is told so', async () => {
    await lab.lab.replaceAuthority();
    await tellAgent();
    await lab.lab.forgetOldAuthorities();
    await tellAgent();
    expect(await dial(guest)).toMatch(/The authority of your certificate of lab [0-9a-f]{16} has been replaced: .*lanflow lab invite/);
    expect(await filesOf(guest)).toEqual(await filesOf(lab.folder));
  });

  it('gets a new certificate when he needs one, by way of a machine that the owner comes to, and brings others the news', async () => {
    second = await startLanAgent();
    await second.join(lab);
    await lab.lab.replaceAuthority();
    await tellAgent();
    const certificate = async () => new X509Certificate(await readFile(userFiles(guest).cert));
    const before = (await certificate()).fingerprint256;
    for (const folder of [guest, lab.folder, guest]) {
      expect((await certificate()).fingerprint256).toBe(before);
      expect(await dial(folder)).toBe('online');
    }
    const { fingerprint256, subjectAltName } = await certificate();
    expect(fingerprint256).not.toBe(before);
    expect(readIdentities(subjectAltName)).toEqual([{ kind: 'user', name: 'bo' }]);
    // It knows only the authority before that of the new certificate.
    expect(await machineOf(second.as(userFiles(guest)))).toMatchObject({ id: second.machine });
    const { trust } = await as(guest).news(second.machine);
    await second.as(userFiles(guest)).unary(AgentService.method.setTrust, trust);
    const { authority } = await second.stranger.unary(PairingService.method.getTrust, {});
    expect(authority).toBe((await lab.lab.published()).authority);
    const lost = (await lab.lab.forgetOldAuthorities()).flatMap(({ names }) => names);
    expect(lost).toEqual([`lanflow:machine:${second.machine}`]);
    await tellAgent();
    expect(await dial(guest)).toBe('online');
  });

  it('cannot have a machine believe in an authority of his own', async () => {
    const own = await makeTlsLab();
    const [ours, his] = [await lab.lab.published(), await own.lab.published()];
    const trust = { lab: (await lab.lab.facts()).id, certificate: '', ...ours, authority: his.authority + ours.authority };
    const bo = agent.as(userFiles(guest));
    await expect(bo.unary(AgentService.method.setTrust, trust)).rejects.toMatchObject({
      codeName: 'PERMISSION_DENIED',
      message: expect.stringContaining('is not vouched for'),
    });
    await expect(machineOf(agent.as(own.user))).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
    await own.dispose();
  });
});
