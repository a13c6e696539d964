import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressFile, agentFolder } from '#proto/files/agent-address.ts';
import { LocalAgent } from '../../../../main/machines/local-agent.ts';

describe('the agent of this machine, where nobody answers at its address', () => {
  let folder: string;
  let socket: string;
  let server: Server | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-local-'));
    socket = join(folder, 'sock');
    await mkdir(agentFolder(folder));
  });
  afterEach(async () => {
    server?.close();
    await rm(folder, { recursive: true });
  });

  const publish = (keepsTasks: boolean) => writeFile(addressFile(agentFolder(folder)), JSON.stringify({ socket, token: 'x', keepsTasks }));
  const local = () => new LocalAgent({ program: join(folder, 'nowhere.js'), dataFolder: folder, log: () => undefined });
  const { signal } = new AbortController();

  it('is waited for when its tasks go on', async () => {
    await publish(true);
    const connected = local().connect(signal);
    server = createServer();
    setTimeout(() => server?.listen(socket), 300);
    (await connected).close();
  });

  it('is waited for no longer than its user wants', async () => {
    await publish(true);
    const stop = new AbortController();
    const connected = local().connect(stop.signal);
    setTimeout(() => stop.abort(), 100);
    await expect(connected).rejects.toThrow(/abort/);
  });

  it('is replaced at once by a private one when its tasks have ended with it', async () => {
    await publish(false);
    await expect(local().connect(signal)).rejects.toThrow('nowhere.js');
  });
});
