import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { Code } from '#proto/wire/status.ts';
import { checkReach } from '../../../../../task-server/agent/reach/check-reach.ts';

async function withPort<T>(work: (port: number) => Promise<T>): Promise<T> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  try {
    return await work(typeof address === 'object' && address ? address.port : 0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

it('tells of each address, in order, what came of connecting to it', async () => {
  const closed = await withPort(async (port) => port);
  await withPort(async (port) => {
    const addresses = [`127.0.0.1:${closed}`, `127.0.0.1:${port}`, `localhost:${port}`, `no-such-machine.invalid:${port}`];
    const reach = await checkReach(addresses);
    expect(reach.map(({ address }) => address)).toEqual(addresses);
    expect(reach.map(({ outcome }) => outcome)).toEqual(['refused', 'open', 'open', 'no such name']);
  });
});

it('answers nothing to nothing', async () => {
  expect(await checkReach([])).toEqual([]);
});

it.each([['host'], ['host:0'], ['host:65536'], ['a b:c'], ['fd00::1:7'], [':7'], ['[fd00::1]'], [''], ['host:7/x']])(
  'refuses %j as an address',
  async (address) => {
    await expect(checkReach([address])).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
  },
);

it('refuses more than 64', async () => {
  await expect(checkReach(Array.from({ length: 65 }, () => '127.0.0.1:1'))).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
});
