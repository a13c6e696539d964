import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { connect as connectByTls, createSecureContext, type SecureContextOptions } from 'node:tls';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { taskStats } from '../../../main/client/index.ts';
import { MAGIC } from '../../../task-server/service/link/frame.ts';
import { MASTER_SERVICES, masterMethods } from '../../../task-server/service/master-service.ts';
import { TASK_SERVICE, taskMethods } from '../../../task-server/service/task-service.ts';
import { WORKER_SERVICE, workerMethods } from '../../../task-server/service/worker-service.ts';
import { canHaveOtherMachine, makeOtherMachine, type OtherMachine, withOtherMachine } from '../../support/other-machine.ts';
import { freePorts } from '../../support/task-ports.ts';
import { startTlsTask, type TlsTask } from '../../support/tls-cluster.ts';
import { makeTlsLab, type TlsLab, taskIdentity } from '../../support/tls-lab.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A table of methods is made without a look at what they will call, but for the name of its task. */
const nobody = { task: '' } as never;
const paths = [
  ...MASTER_SERVICES.flatMap((service) => masterMethods(nobody, '').map(({ name }) => `/${service}/${name}`)),
  ...workerMethods(nobody).map(({ name }) => `/${WORKER_SERVICE}/${name}`),
  ...taskMethods(nobody, nobody, nobody).map(({ name }) => `/${TASK_SERVICE}/${name}`),
];

describe.skipIf(!canHaveOtherMachine)(withOtherMachine('the port of a task'), () => {
  let machine: OtherMachine;
  let lab: TlsLab;
  let other: TlsLab;
  let task: TlsTask;
  /** How a stranger may dial; undefined: in plain text. */
  const ways: Record<string, () => Promise<SecureContextOptions | undefined>> = {
    'in plain text': async () => undefined,
    'by TLS without a certificate': async () => ({ ca: readFileSync(lab.user.ca) }),
    'with a certificate of another lab': async () => ({ ...contextOf(other.user), ca: readFileSync(lab.user.ca) }),
    'with a revoked certificate': async () => {
      const files = await lab.issue([taskIdentity('worker', 3)]);
      const newest = (await lab.lab.issued()).at(-1);
      await lab.lab.revoke(newest?.serial ?? '');
      await expect.poll(() => statsWith({ ...files, crl: undefined }), { timeout: 10_000 }).toBe('refused');
      await expect(taskStats(task.target, { tls: files })).rejects.toThrow(/your own certificate \(task .+\) has been revoked/);
      return contextOf(files);
    },
    'with an expired certificate': async () => contextOf(await lab.issue([taskIdentity('worker', 4)], new Date(Date.now() - 150 * DAY_MS))),
  };

  beforeAll(async () => {
    machine = makeOtherMachine();
    [lab, other] = await Promise.all([makeTlsLab(new Date(Date.now() - 200 * DAY_MS)), makeTlsLab()]);
    const [port = 0] = await freePorts(1);
    const files = await lab.issue([taskIdentity('ps', 0)]);
    task = await startTlsTask({ machine, cluster: { ps: [`${machine.address}:${port}`] }, job: 'ps', files });
  });
  afterAll(async () => {
    await task.stop();
    machine.dispose();
    await Promise.all([lab.dispose(), other.dispose()]);
  });

  async function statsWith(tls: TlsFiles): Promise<'answered' | 'refused'> {
    return taskStats(task.target, { tls }).then(
      () => 'answered',
      () => 'refused',
    );
  }

  it('answers a member of the lab', async () => {
    expect(await statsWith(lab.user)).toBe('answered');
    expect(paths.length).toBeGreaterThan(30);
  });

  it.each(Object.keys(ways))('answers no method of any service to somebody %s', async (way) => {
    const context = await ways[way]?.();
    // The stranger does not care who answers.
    const open = context
      ? credentials.createFromSecureContext(createSecureContext(context), {
          rejectUnauthorized: false,
          checkServerIdentity: () => undefined,
        })
      : credentials.createInsecure();
    const client = new Client(task.address, open, {
      'grpc.ssl_target_name_override': 'lanflow',
      'grpc.enable_retries': 0,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 100,
    });
    try {
      const codes = await Promise.all(paths.map((path) => codeOf(client, path)));
      expect(new Set(codes)).toEqual(new Set([status.UNAVAILABLE]));
    } finally {
      client.close();
    }
    expect(await statsWith(lab.user)).toBe('answered');
  });

  it.each([
    ['the link', MAGIC],
    ['HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['noise', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a first record of TLS that claims to be huge', Buffer.from([0x16, 3, 1, 0xff, 0xff, 1, 0xff, 0xff, 0xff])],
  ])('says nothing to a stranger who begins with %s', async (_, begin) => {
    const heard = await hear(machine.address, Number(task.address.split(':')[1]), begin);
    // An alert of TLS, 7 bytes, tells that TLS is spoken, and no more.
    expect(heard.length <= 7 ? heard[0] : heard).toBeOneOf([undefined, 0x15]);
    expect(await statsWith(lab.user)).toBe('answered');
  });

  it('ends the connections of a certificate that is revoked', async () => {
    const files = await lab.issue([taskIdentity('worker', 5)]);
    const socket = connectByTls({
      host: machine.address,
      port: Number(task.address.split(':')[1]),
      ...contextOf(files),
      ALPNProtocols: ['h2'],
      checkServerIdentity: () => undefined,
    });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    const closed = once(socket, 'close');
    await lab.lab.revoke((await lab.lab.issued()).at(-1)?.serial ?? '');
    await closed;
    await expect
      .poll(() => task.stderr())
      .toMatch(/closed a TLS connection with .+ \(task \/job:worker\/replica:0\/task:5\) has been revoked/);
  });
});

function contextOf({ cert, key, ca }: TlsFiles): SecureContextOptions {
  return { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) };
}

function codeOf(client: Client, path: string): Promise<status> {
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), { deadline: Date.now() + 20_000 }, (error: ServiceError | null) =>
      resolve(error?.code ?? status.OK),
    );
  });
}

async function hear(host: string, port: number, begin: Uint8Array): Promise<Buffer> {
  const heard: Buffer[] = [];
  const socket = connect(port, host);
  socket.on('data', (data: Buffer) => heard.push(data));
  socket.on('error', () => undefined);
  socket.write(begin);
  socket.end();
  await once(socket, 'close');
  return Buffer.concat(heard);
}
