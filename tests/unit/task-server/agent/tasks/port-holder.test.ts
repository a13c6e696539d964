import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PortHolder } from '../../../../../task-server/agent/tasks/port-holder.ts';

describe('ports that are held for tasks', () => {
  const holder = new PortHolder();
  const servers: Server[] = [];

  afterEach(async () => {
    await holder.close();
    for (const server of servers.splice(0)) server.close();
  });

  const listen = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const server = createServer().once('error', reject);
      servers.push(server);
      server.listen(port, () => resolve((server.address() as { port: number }).port));
    });

  it('differ, and are nobody elses until they are released', async () => {
    const [first = 0, second = 0] = await holder.reserve([0, 0]);
    expect(first).not.toBe(second);
    await expect(listen(first)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    await holder.release(first);
    expect(await listen(first)).toBe(first);
  });

  it('that are wanted are refused by name when they are in use, and none is held then', async () => {
    const taken = await listen(0);
    const [free = 0] = await holder.reserve([0]);
    await holder.release(free);
    await expect(holder.reserve([free, taken])).rejects.toMatchObject({
      codeName: 'ALREADY_EXISTS',
      message: expect.stringContaining(`Port ${taken} `),
    });
    expect(await listen(free)).toBe(free);
  });

  it('may be chosen again by a start that follows a failed one', async () => {
    const [port = 0] = await holder.reserve([0]);
    expect(await holder.reserve([port])).toEqual([port]);
  });
});
