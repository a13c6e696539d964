import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentService } from '#proto/generated/lanflow/agent_pb.ts';
import { PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import type { TlsFiles } from '#proto/trust/tls-files.ts';
import { type LanAgent, machineOf, startLanAgent } from '../../support/lan-agent.ts';
import { makeTlsLab, type TlsLab, taskIdentity } from '../../support/tls-lab.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const agentPaths = AgentService.methods.map(({ name }) => `/${AgentService.typeName}/${name}`);
const pairingPaths = PairingService.methods.map(({ name }) => `/${PairingService.typeName}/${name}`);

describe('the LAN port of an agent', () => {
  let lab: TlsLab;
  let other: TlsLab;
  let agent: LanAgent;

  beforeAll(async () => {
    [lab, other] = await Promise.all([makeTlsLab(new Date(Date.now() - 200 * DAY_MS)), makeTlsLab()]);
    agent = await startLanAgent();
    await agent.join(lab);
  });
  afterAll(async () => {
    await agent.close();
    await Promise.all([lab.dispose(), other.dispose()]);
  });

  const isAlive = async (): Promise<void> => expect((await machineOf(agent.as(lab.user))).id).toBe(agent.machine);

  /** Codes that calls of these methods end with, for somebody who dials so and does not care who answers. */
  async function scan(context: SecureContextOptions | undefined, paths: readonly string[]): Promise<ReadonlySet<string>> {
    const tls = (shown: SecureContextOptions) =>
      credentials.createFromSecureContext(createSecureContext(shown), { rejectUnauthorized: false, checkServerIdentity: () => undefined });
    const client = new Client(`127.0.0.1:${agent.port}`, context ? tls(context) : credentials.createInsecure(), {
      'grpc.ssl_target_name_override': 'lanflow',
      'grpc.enable_retries': 0,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 100,
    });
    try {
      return new Set(await Promise.all(paths.map((path) => codeOf(client, path))));
    } finally {
      client.close();
    }
  }

  const refused: Record<string, () => Promise<SecureContextOptions>> = {
    'by TLS without a certificate': async () => ({ ca: readFileSync(lab.user.ca) }),
    'with a certificate of another lab': async () => ({ ...contextOf(other.user), ca: readFileSync(lab.user.ca) }),
    'with an expired certificate': async () =>
      contextOf(await lab.issue([{ kind: 'machine', name: 'x' }, taskIdentity('w', 4)], new Date(Date.now() - 150 * DAY_MS))),
    'with a revoked certificate': async () => {
      const files = await lab.issue([{ kind: 'user', name: 'bo' }]);
      await lab.lab.revoke((await lab.lab.issued()).at(-1)?.serial ?? '');
      const trust = { lab: (await lab.lab.facts()).id, certificate: '', ...(await lab.lab.published()) };
      await agent.as(lab.user).unary(AgentService.method.setTrust, trust);
      return contextOf(files);
    },
  };

  it.each(Object.keys(refused))('answers no method of any service to somebody %s', async (way) => {
    expect(await scan(await refused[way]?.(), [...agentPaths, ...pairingPaths])).toEqual(new Set(['UNAVAILABLE']));
    await isAlive();
  });

  it.each([
    ['task', [taskIdentity('worker', 0)]],
    ['machine', [{ kind: 'machine' as const, name: '0123456789abcdef' }]],
    ['task on its machine', [taskIdentity('worker', 0), { kind: 'machine' as const, name: '0123456789abcdef' }]],
  ])('answers no method to a %s of the lab', async (_, identities) => {
    const context = contextOf(await lab.issue(identities));
    expect(await scan(context, agentPaths)).toEqual(new Set(['PERMISSION_DENIED']));
    expect(await scan(context, pairingPaths)).toEqual(new Set(['UNIMPLEMENTED']));
    await isAlive();
  });

  it('answers in plain text who it is and what its lab has published, and to those who pair, and nothing else', async () => {
    expect(agentPaths.length).toBeGreaterThan(10);
    expect(await scan(undefined, agentPaths)).toEqual(new Set(['UNIMPLEMENTED']));
    const open = ['Hello', 'GetTrust'].map((name) => `/${PairingService.typeName}/${name}`);
    expect(await scan(undefined, open)).toEqual(new Set(['OK']));
    const steps = pairingPaths.filter((path) => !open.includes(path));
    // The PIN with which it was paired is of no more use, and no attempt is under way.
    expect(await scan(undefined, steps)).toEqual(new Set(['FAILED_PRECONDITION', 'NOT_FOUND']));
    await isAlive();
  });

  it('shows a PIN to nobody but its own user', async () => {
    await expect(agent.as(lab.user).unary(AgentService.method.openPairing, {})).rejects.toMatchObject({
      codeName: 'PERMISSION_DENIED',
      message: 'A PIN is shown only to people at the machine itself',
    });
  });

  it.each([
    ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['the link of tasks', Buffer.from('LANFLOW link 1\n')],
    ['noise', Buffer.alloc(1 << 20, 0x5a)],
    ['zeros', Buffer.alloc(1 << 20)],
    ['HTTP/2 and then noise', Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.alloc(1 << 20, 0xff)])],
    ['a record of TLS that claims to be huge', Buffer.from([0x16, 3, 1, 0xff, 0xff, 1, 0xff, 0xff, 0xff])],
    ['TLS and then noise', Buffer.concat([Buffer.from([0x16, 3, 1, 0x02, 0x00, 1]), Buffer.alloc(1 << 20, 0xff)])],
  ])('hangs up on who begins with %s', async (_, begin) => {
    const socket = connect(agent.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(begin);
    await closed(socket);
    await isAlive();
  });

  it('takes no message that is too large', async () => {
    const client = new Client(`127.0.0.1:${agent.port}`, credentials.createInsecure());
    expect(await codeOf(client, `/${PairingService.typeName}/StartPairing`, Buffer.alloc(1 << 20))).toBe('RESOURCE_EXHAUSTED');
    expect(await codeOf(client, `/${PairingService.typeName}/StartPairing`, Buffer.alloc(1000, 0xff))).toBe('INTERNAL');
    client.close();
    await isAlive();
  });

  it('hangs up on strangers who say nothing, and on more than 500 at a time', async () => {
    const silent = Array.from({ length: 520 }, () =>
      connect(agent.port, '127.0.0.1')
        .on('error', () => undefined)
        .resume(),
    );
    const began = performance.now();
    const all = silent.map(closed);
    await Promise.any(all);
    expect(performance.now() - began).toBeLessThan(5000);
    await Promise.all(all);
    expect(performance.now() - began).toBeGreaterThan(9000);
    await isAlive();
  });

  it('has said nothing of a bug', () => {
    expect(agent.child.stderr()).not.toMatch(/bug|ERROR/);
  });
});

function contextOf({ cert, key, ca }: TlsFiles): SecureContextOptions {
  return { cert: readFileSync(cert), key: readFileSync(key), ca: readFileSync(ca) };
}

function codeOf(client: Client, path: string, request: Buffer = Buffer.alloc(0)): Promise<string> {
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, request, { deadline: Date.now() + 20_000 }, (error: ServiceError | null) =>
      resolve(status[error?.code ?? status.OK] ?? ''),
    );
  });
}

/** Resolves when the connection is gone, however it ended. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}
