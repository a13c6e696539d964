import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentAddress } from '#proto/files/agent-address.ts';
import { openStore } from '../../../../../main/store/index.ts';
import { publish, unpublish } from '../../../../../task-server/agent/state/agent-file.ts';
import { machineId } from '../../../../../task-server/agent/state/machine-id.ts';
import { openStateFolder } from '../../../../../task-server/agent/state/state-folder.ts';

let data: string;
const servers: Server[] = [];

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'lanflow-state-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(data, { recursive: true });
});

async function address(startId: string, isLive: boolean): Promise<AgentAddress> {
  const folder = await openStateFolder(data, startId);
  if (isLive) {
    const server = createServer();
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(folder.socket, resolve));
  }
  return { pid: 42, startId, socket: folder.socket, token: 't', ...{ installed: true, keepsTasks: false }, version: '1' };
}

describe('the id of a machine', () => {
  it('is the same for agents and apps, whichever comes first and however many at once', async () => {
    const store = openStore(data, () => undefined);
    const ids = await Promise.all([machineId(data), store.machineId(), machineId(data), store.machineId()]);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
  });

  it('is made anew when the file is damaged', async () => {
    await writeFile(join(data, 'machine.json'), '{"version": 1, "cont');
    const id = await machineId(data);
    expect(await openStore(data, () => undefined).machineId()).toBe(id);
  });
});

describe('the address of an agent', () => {
  const published = async (): Promise<AgentAddress> => JSON.parse(await readFile(join(data, 'agent', 'agent.json'), 'utf8'));

  it('is for its own user only', async () => {
    await publish(join(data, 'agent'), await address('a', false));
    expect((await stat(join(data, 'agent'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(data, 'agent', 'agent.json'))).mode & 0o777).toBe(0o600);
  });

  it('is not taken from an agent that answers', async () => {
    await publish(join(data, 'agent'), await address('a', true));
    const second = publish(join(data, 'agent'), await address('b', true));
    await expect(second).rejects.toMatchObject({ codeName: 'ALREADY_EXISTS', message: expect.stringContaining('process id 42') });
    expect((await published()).startId).toBe('a');
  });

  it('of a dead agent, or a damaged one, is replaced', async () => {
    await publish(join(data, 'agent'), await address('a', false));
    await publish(join(data, 'agent'), await address('b', false));
    expect((await published()).startId).toBe('b');
    await writeFile(join(data, 'agent', 'agent.json'), 'garbage');
    await publish(join(data, 'agent'), await address('c', true));
    expect((await published()).startId).toBe('c');
  });

  it('is one only when many start at once', async () => {
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((id) => address(id, true)));
    const results = await Promise.allSettled(all.map((each) => publish(join(data, 'agent'), each)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is taken away only by its own agent', async () => {
    const [a, b] = [await address('a', false), await address('b', false)];
    await publish(join(data, 'agent'), a);
    await publish(join(data, 'agent'), b);
    await unpublish(join(data, 'agent'), a);
    expect((await published()).startId).toBe('b');
    await unpublish(join(data, 'agent'), b);
    await expect(published()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('has a socket elsewhere when the folder has too long a path', async () => {
    const folder = await openStateFolder(join(data, 'x'.repeat(120)), 'a');
    expect(Buffer.byteLength(folder.socket)).toBeLessThan(104);
    await folder.remove();
    await expect(stat(folder.socket)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
