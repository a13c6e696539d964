import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentService } from '#proto/generated/lanflow/agent_pb.ts';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { userFiles } from '../../../main/store/lab/lab.ts';
import { LabAuthority } from '../../../main/store/lab/lab-authority.ts';
import { runCli } from '../../support/cli.ts';
import { admit, type LanAgent, machineOf, startLanAgent } from '../../support/lan-agent.ts';
import { makeTlsLab, type TlsLab } from '../../support/tls-lab.ts';

describe('a guest of a lab', () => {
  let lab: TlsLab;
  let agent: LanAgent;
  let guest: string;

  beforeEach(async () => {
    lab = await makeTlsLab();
    agent = await startLanAgent();
    await agent.join(lab);
    guest = await mkdtemp(join(tmpdir(), 'lanflow-guest-'));
    const { key, request } = await makeRequest('bo');
    await as(guest).join({ ...(await as(lab.folder).admitUser('bo', request)), key });
    const records = [{ id: agent.machine, name: 'one', addresses: ['127.0.0.1'], port: agent.port }];
    await writeFile(join(guest, 'machines.json'), JSON.stringify({ version: 1, content: records }));
  });
  afterEach(async () => {
    await agent.close();
    await lab.dispose();
    await rm(guest, { recursive: true });
  });

  const as = (folder: string) => new LabAuthority({ folder, userName: 'bo', machineId: async () => '', warn: () => undefined });
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
    expect((await runCli(['machines'], { dataFolder: guest })).stdout).toMatch(new RegExp(`^${agent.machine} .+ online `, 'm'));
    const [authority, revocations] = await filesOf(guest);
    expect([authority, revocations]).toEqual(await filesOf(lab.folder));
    expect(await machineOf(agent.as(userFiles(guest)))).toMatchObject({ id: agent.machine });
  });

  it('who was revoked is told so, and how to come back', async () => {
    await revokeGuest();
    const { stdout } = await runCli(['machines'], { dataFolder: guest });
    expect(stdout).toMatch(/Your certificate of lab [0-9a-f]{16} has been revoked; .*lanflow lab invite/);
    expect(JSON.parse((await runCli(['lab', '--json'], { dataFolder: guest })).stdout).problem).toContain('has been revoked');
    // With what he had heard before he comes no further.
    await expect(machineOf(agent.as({ ...userFiles(guest), crl: undefined }))).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
  });

  it('who was away while the authority was replaced and forgotten is told so', async () => {
    await lab.lab.replaceAuthority();
    await tellAgent();
    await lab.lab.forgetOldAuthorities();
    await tellAgent();
    const { stdout } = await runCli(['machines'], { dataFolder: guest });
    expect(stdout).toMatch(/The authority of your certificate of lab [0-9a-f]{16} has been replaced: .*lanflow lab invite/);
    expect(await filesOf(guest)).toEqual(await filesOf(lab.folder));
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
