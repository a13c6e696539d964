import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentService } from '#proto/generated/lanflow/agent_pb.ts';
import { makeRequest } from '#proto/trust/certificate-request.ts';
import { LabAuthority } from '../../../main/store/lab/lab-authority.ts';
import { userFiles } from '../../../main/store/lab/lab-storage.ts';
import { startLanAgent } from '../../support/lan-agent.ts';
import { makeTlsLab } from '../../support/tls-lab.ts';
import { CoreClient } from './core-client.ts';

describe('two users of one lab', () => {
  const folders: string[] = [];
  let [host, guest]: CoreClient[] = [];

  async function open(): Promise<CoreClient> {
    const data = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
    folders.push(data);
    return new CoreClient(data);
  }

  beforeEach(async () => {
    [host, guest] = await Promise.all([open(), open()]);
  });

  afterEach(async () => {
    await Promise.all([host?.leave(), guest?.leave()]);
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
  });

  it('become so by an invitation, and nobody has a lab before he needs one', async () => {
    if (!host || !guest) throw new Error('Two cores were opened');
    expect(await Promise.all([host, guest].map((core) => core.call('machines.lab', null)))).toEqual([null, null]);
    const { pin, places } = await host.call('machines.invite', null);
    const address = `127.0.0.1:${places[0]?.split(':').at(-1)}`;
    await expect(guest.call('machines.joinLab', { address, pin: '' })).rejects.toMatchObject({ codeName: 'PERMISSION_DENIED' });
    const came = host.when('machines.labChanged', ({ guest: name }) => name !== '');
    const joined = await guest.call('machines.joinLab', { address, pin });
    expect((await came).lab).toMatchObject({ id: joined.id, isOwner: true });
    expect(await guest.call('machines.lab', null)).toMatchObject({ id: joined.id, isOwner: false, fingerprint: joined.fingerprint });
    // One invitation is for one guest.
    await expect(guest.call('machines.joinLab', { address, pin })).rejects.toMatchObject({
      codeName: expect.stringMatching(/^(UNAVAILABLE|FAILED_PRECONDITION)$/),
    });
    // Whose own it is would lose it.
    await expect(host.call('machines.joinLab', { address, pin })).rejects.toMatchObject({ codeName: 'ALREADY_EXISTS' });
  });

  it('end when it is taken back, or takes no guest who types nonsense', async () => {
    if (!host || !guest) throw new Error('Two cores were opened');
    const { pin, places } = await host.call('machines.invite', null);
    const address = `127.0.0.1:${places[0]?.split(':').at(-1)}`;
    await expect(guest.call('machines.joinLab', { address: 'nowhere', pin })).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
    await host.call('machines.endInvitation', null);
    await expect(guest.call('machines.joinLab', { address, pin })).rejects.toMatchObject({ codeName: 'UNAVAILABLE' });
    expect(await guest.call('machines.lab', null)).toBeNull();
  });
});

it('a guest whose certificate is revoked is told so by the machine that refuses him', async () => {
  const [lab, agent, data] = [await makeTlsLab(), await startLanAgent(), await mkdtemp(join(tmpdir(), 'lanflow-core-'))];
  const as = (folder: string) => new LabAuthority({ folder, userName: 'bo', machineId: async () => '', warn: () => undefined });
  await agent.join(lab);
  const { key, request } = await makeRequest('bo');
  await as(data).join({ ...(await as(lab.folder).admitUser('bo', request)), key });
  const records = [{ id: agent.machine, name: 'one', addresses: ['127.0.0.1'], port: agent.port }];
  await writeFile(join(data, 'machines.json'), JSON.stringify({ version: 1, content: records }));
  const core = new CoreClient(data);
  const stateOf = async () => (await core.call('machines.list', null)).find(({ id }) => id === agent.machine);
  try {
    await expect.poll(stateOf, { timeout: 15_000 }).toMatchObject({ state: 'online' });
    const told = core.when('machines.labChanged', ({ lab: known }) => known?.problem !== '');
    await lab.lab.revoke(new X509Certificate(await readFile(userFiles(data).cert)).fingerprint256);
    const news = { lab: (await lab.lab.facts()).id, certificate: '', ...(await lab.lab.published()) };
    await agent.as(lab.user).unary(AgentService.method.setTrust, news);
    expect((await told).lab?.problem).toMatch(/^Your certificate of lab \w+ has been revoked; /);
    await expect.poll(stateOf, { timeout: 15_000 }).toMatchObject({ state: 'lost', reason: expect.stringContaining('has been revoked') });
  } finally {
    await core.leave();
    await agent.close();
    await Promise.all([lab.dispose(), rm(data, { recursive: true })]);
  }
});
