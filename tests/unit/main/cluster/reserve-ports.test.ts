import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { alreadyExists, unavailable } from '#proto/wire/status.ts';
import { freePorts } from '../../../../main/cluster/free-ports.ts';
import { reservePorts } from '../../../../main/cluster/reserve-ports.ts';

/** An agent on whose machine some ports are in use. */
function agentWith(used: readonly number[]) {
  const held: number[] = [];
  const reserve = async (wanted: readonly number[]) => {
    const taken = wanted.find((port) => used.includes(port));
    if (taken !== undefined) throw alreadyExists(`Port ${taken} is in use`);
    held.push(...wanted);
    return wanted.map((port, i) => port || 40_000 + i);
  };
  return { held, reserve };
}

describe('ports for the tasks of a machine', () => {
  const choose = (ports: Parameters<typeof reservePorts>[0], wanted: readonly number[], used: readonly number[] = []) => {
    const { held, reserve } = agentWith(used);
    return reservePorts(ports, { wanted, reserve, machine: 'lab-pc' }).then((chosen) => ({ chosen, held }));
  };

  it('are any free ones, asked for at once, when the user has no wish', async () => {
    expect(await choose('any', [0, 7000, 0])).toEqual({ chosen: [40_000, 7000, 40_002], held: [0, 7000, 0] });
  });

  it('are the lowest free ones of the range, in the order of the tasks', async () => {
    const { chosen } = await choose({ from: 5000, to: 5009 }, [0, 0, 0], [5001, 5002]);
    expect(chosen).toEqual([5000, 5003, 5004]);
  });

  it('are left to a task that names its own, in the range or not', async () => {
    const { chosen, held } = await choose({ from: 5000, to: 5009 }, [0, 5000, 0, 80]);
    expect(chosen).toEqual([5001, 5000, 5002, 80]);
    expect([...held].sort()).toEqual([5000, 5001, 5002, 80]);
  });

  it('name the machine, the range and the way out when too few are free', async () => {
    await expect(choose({ from: 5000, to: 5001 }, [0, 0, 0], [5000])).rejects.toMatchObject({
      codeName: 'RESOURCE_EXHAUSTED',
      message:
        'Only 1 of the ports 5000 to 5001 is free on lab-pc, and 3 are needed; widen the range in the settings, or stop what uses them',
    });
  });

  it('are not looked for further when the machine cannot be reached', async () => {
    const reserve = async () => Promise.reject(unavailable('lab-pc was unplugged'));
    await expect(reservePorts({ from: 5000, to: 5009 }, { wanted: [0], reserve, machine: 'lab-pc' })).rejects.toThrow('unplugged');
  });

  it('reject with the port that a task names when it is in use', async () => {
    await expect(choose({ from: 5000, to: 5009 }, [0, 7000], [7000])).rejects.toMatchObject({ codeName: 'ALREADY_EXISTS' });
  });
});

describe('free ports of this machine', () => {
  const servers: Server[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve)))));

  it('leave out those of a range that another program has', async () => {
    const [first = 0] = await freePorts([0]);
    await new Promise<void>((resolve) => servers.push(createServer().listen(first, '127.0.0.1', resolve)));
    const range = { from: first, to: Math.min(first + 50, 65_535) };
    const [chosen = 0] = await reservePorts(range, { wanted: [0], reserve: freePorts, machine: 'this machine' });
    expect(chosen).toBeGreaterThan(first);
    expect(chosen).toBeLessThanOrEqual(range.to);
  });
});
