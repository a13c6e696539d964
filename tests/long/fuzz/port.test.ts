import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskStats } from '../../../main/client/index.ts';
import { MAGIC } from '../../../task-server/service/link/frame.ts';
import { canHaveOtherMachine, makeOtherMachine, type OtherMachine, withOtherMachine } from '../../support/other-machine.ts';
import { freePorts } from '../../support/task-ports.ts';
import { startTlsTask, type TlsTask } from '../../support/tls-cluster.ts';
import { makeTlsLab, type TlsLab, taskIdentity } from '../../support/tls-lab.ts';
import { type Random, withSeed } from '../support/random.ts';

const ROUNDS = 3000;
const AT_ONCE = 20;

/** Real beginnings: of a TLS handshake, of HTTP/2, of the link with a first frame that claims two gigabytes. */
const beginnings: readonly Uint8Array[] = [
  Buffer.from('1603010200010001fc0303', 'hex'),
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.concat([MAGIC, Buffer.from('00001000ffffff7f0000000001000000', 'hex')]),
  Buffer.from('1603', 'hex'),
  Buffer.from('1603ffffff', 'hex'),
];

describe.skipIf(!canHaveOtherMachine)(withOtherMachine('the port of a task on a LAN'), () => {
  let machine: OtherMachine;
  let lab: TlsLab;
  let task: TlsTask;
  let place: { readonly host: string; readonly port: number };

  beforeAll(async () => {
    machine = makeOtherMachine();
    lab = await makeTlsLab();
    const [port = 0] = await freePorts(1);
    place = { host: machine.address, port };
    const files = await lab.issue([taskIdentity('ps', 0)]);
    task = await startTlsTask({ machine, cluster: { ps: [`${machine.address}:${port}`] }, job: 'ps', files });
  });
  afterAll(async () => {
    await task.stop();
    machine.dispose();
    await lab.dispose();
  });

  it('survives whatever strangers send, says nothing to them, and goes on serving the lab', () =>
    withSeed(async (random) => {
      const { memory: before } = await taskStats(task.target, { tls: lab.user });
      for (let round = 0; round < ROUNDS; round += AT_ONCE) {
        const heard = await Promise.all(Array.from({ length: AT_ONCE }, () => say(place, noise(random))));
        // Alerts of TLS are all that a stranger gets.
        for (const bytes of heard) if (bytes.length > 0) expect([bytes[0], bytes.length <= 14]).toEqual([0x15, true]);
      }
      const { memory: after } = await taskStats(task.target, { tls: lab.user });
      expect(after - before).toBeLessThan(200 * 2 ** 20);
      expect(task.stderr()).not.toMatch(/bug:|heap/);
    }));

  it('is not filled up by strangers who stay silent', async () => {
    const silent = Array.from({ length: 700 }, () => connect(place).on('error', () => undefined));
    await Promise.all(silent.slice(0, 400).map((socket) => once(socket, 'connect')));
    const begun = Date.now();
    await Promise.all(silent.map((socket) => socket.closed || once(socket, 'close')));
    expect(Date.now() - begun).toBeLessThan(20_000);
    await taskStats(task.target, { tls: lab.user });
  });
});

function noise(random: Random): Uint8Array {
  const rest = random.bytes(random.below(random.pick([4, 40, 400, 20_000])));
  return random.chance(0.3) ? rest : Buffer.concat([random.pick(beginnings), rest]);
}

async function say(place: { readonly host: string; readonly port: number }, bytes: Uint8Array): Promise<Buffer> {
  const heard: Buffer[] = [];
  const socket = connect(place).on('data', (data: Buffer) => heard.push(data));
  socket.on('error', () => undefined); // The task may hang up first.
  socket.end(bytes);
  await once(socket, 'close');
  return Buffer.concat(heard);
}
