import { describe, expect, it } from 'vitest';
import { remoteWork } from '../../../../main/cli/remote-work.ts';

describe('machines on the command line', () => {
  it('are hosts, each with its own user if it names one', async () => {
    expect(await remoteWork(['pc1', 'alice@pc2', 'a@b@pc3'], { user: 'bob', port: '2222', key: '/key' })).toEqual([
      { target: { host: 'pc1', port: 2222 }, login: { user: 'bob', password: '', keyFile: '/key', passphrase: '' } },
      { target: { host: 'pc2', port: 2222 }, login: { user: 'alice', password: '', keyFile: '/key', passphrase: '' } },
      { target: { host: 'pc3', port: 2222 }, login: { user: 'a@b', password: '', keyFile: '/key', passphrase: '' } },
    ]);
    expect(await remoteWork(['pc1'], {})).toEqual([{ target: { host: 'pc1', port: 22 }, login: expect.objectContaining({ user: '' }) }]);
  });

  it.each([
    [['alice@pc1', 'bob@pc1'], "'pc1'"],
    [['pc2', 'PC1', 'pc1'], "'pc1'"],
  ])('are each named once, not %j', async (hosts, name) => {
    await expect(remoteWork(hosts, {})).rejects.toMatchObject({
      codeName: 'INVALID_ARGUMENT',
      message: expect.stringContaining(`${name} is named twice`),
    });
  });

  it.each(['0', '65536', 'ssh', '2.5'])('have no port %s', async (port) => {
    await expect(remoteWork(['pc1'], { port })).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  });
});
