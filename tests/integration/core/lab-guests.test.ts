import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
