import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AgentService } from '#proto/generated/lanflow/agent_pb.ts';
import { PairingService } from '#proto/generated/lanflow/pairing_pb.ts';
import { Credentials } from '#proto/trust/credentials.ts';
import { secureDial } from '#proto/trust/dialler.ts';
import { pair } from '#proto/trust/pairing/pairing-client.ts';
import { Code } from '#proto/wire/status.ts';
import { Rpc } from '../../../main/machines/rpc.ts';
import { agentAddress, agentProgram, endAgents, launchAgent } from '../../support/agent.ts';
import { admit, type LanAgent, machineOf, startLanAgent } from '../../support/lan-agent.ts';
import { makeTlsLab, type TlsLab } from '../../support/tls-lab.ts';

const { method } = AgentService;

describe('an agent on the LAN', () => {
  let lab: TlsLab;
  let other: TlsLab;
  let agent: LanAgent;

  beforeAll(async () => {
    [lab, other] = await Promise.all([makeTlsLab(), makeTlsLab()]);
  });
  afterAll(() => Promise.all([lab.dispose(), other.dispose()]));
  afterEach(() => agent.close());

  it('shows a PIN, tells everybody who it is, and belongs to the lab of who types it', async () => {
    agent = await startLanAgent(['--pairing']);
    const shown = await agent.child.line((line) => line.startsWith('pairing PIN '));
    expect(shown).toMatch(/^pairing PIN \d{3} \d{3}$/);
    const before = await agent.stranger.unary(PairingService.method.hello, {});
    expect(before).toMatchObject({ machine: agent.machine, lab: '', isPairing: true, version: { Lanflow: expect.any(String) } });
    expect(Math.abs(before.time - Date.now())).toBeLessThan(5000);
    await agent.join(lab);
    const { id } = await lab.lab.facts();
    expect(await agent.child.line((line) => line.startsWith('lab '))).toBe(`lab ${id}`);
    expect(await agent.stranger.unary(PairingService.method.hello, {})).toMatchObject({ lab: id, isPairing: false });
    expect(await machineOf(agent.as(lab.user))).toMatchObject({ id: agent.machine, lab: id, port: agent.port, installed: true });
    expect((await agentAddress(agent.data)).port).toBe(agent.port);
  });

  it('is open for the PIN that was asked for last, and says what a wrong one is', async () => {
    agent = await startLanAgent();
    const ask = async (): Promise<string> => {
      const asked = launchAgent(agent.data, ['--pin']);
      const line = await asked.line((text) => text.startsWith('pairing PIN '));
      expect(await asked.ended).toBe(0);
      return line.slice('pairing PIN '.length);
    };
    const guess = (pin: string) =>
      pair(
        { pin, name: agent.machine },
        {
          start: (request) => agent.stranger.unary(PairingService.method.startPairing, { request }),
          finish: async (attempt, request) => {
            await agent.stranger.unary(PairingService.method.finishPairing, { attempt, request });
          },
        },
      );
    await expect(guess('000 000')).rejects.toMatchObject({ code: Code.NOT_FOUND });
    const first = await ask();
    const second = await ask();
    if (first !== second) await expect(guess(first)).rejects.toMatchObject({ code: Code.PERMISSION_DENIED });
    await guess(second);
    await expect(guess(second)).rejects.toMatchObject({ code: Code.FAILED_PRECONDITION });
  });

  it('takes a new authority and a new certificate from its lab at once, and goes to no other one by the LAN', async () => {
    agent = await startLanAgent();
    await agent.join(lab);
    const user = agent.as(lab.user);
    const { machine, request } = await user.unary(method.requestCertificate, {});
    await expect(user.unary(method.setTrust, await admit(other.lab, machine, request))).rejects.toMatchObject({
      code: Code.PERMISSION_DENIED,
    });
    await lab.lab.replaceAuthority();
    await user.unary(method.setTrust, await admit(lab.lab, machine, request));
    // Of the new authority is the machine's by now, and not yet the user's.
    expect(await machineOf(agent.as(lab.user))).toMatchObject({ id: agent.machine });
    await agent.join(other);
    await expect(agent.as(lab.user).unary(method.getLogs, { id: 'x' })).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    expect((await machineOf(agent.as(other.user))).lab).toBe((await other.lab.facts()).id);
  });

  it('closes the connections of a user as soon as it hears that he was revoked', async () => {
    agent = await startLanAgent();
    await agent.join(lab);
    // He does not hear of it himself.
    const bo = { ...(await lab.issue([{ kind: 'user', name: 'bo' }])), crl: undefined };
    const events = agent.as(bo).stream(method.events, {}, { signal: new AbortController().signal, onMessage: () => undefined });
    const ended = expect(events).rejects.toMatchObject({ code: Code.UNAVAILABLE });
    await machineOf(agent.as(bo));
    await lab.lab.revoke((await lab.lab.issued()).at(-1)?.serial ?? '');
    await agent.as(lab.user).unary(method.setTrust, { lab: (await lab.lab.facts()).id, certificate: '', ...(await lab.lab.published()) });
    await ended;
    await expect(machineOf(agent.as(bo))).rejects.toMatchObject({ code: Code.UNAVAILABLE });
  });

  it('gives its tasks the certificate of the machine', async () => {
    agent = await startLanAgent();
    await agent.join(lab);
    const user = agent.as(lab.user);
    const { port } = await user.unary(method.reservePorts, { port: [0] });
    const spec = JSON.stringify({ a: [`127.0.0.1:${port[0]}`, '10.99.0.1:2222'] });
    const { id } = await user.unary(method.startTask, {
      cluster: 'c',
      job: 'a',
      index: 0,
      spec,
      engine: 'bundled',
      allow: ['10.99.0.0/16'],
    });
    const said = async (): Promise<string> => (await user.unary(method.getLogs, { id })).line.map(({ text }) => text).join('\n');
    await expect.poll(said, { timeout: 15_000 }).toMatch(/is open, in plain text, to 10\.99\.0\.0\/16/);
    const command = await readFile(`/proc/${/started process (\d+)/.exec(await said())?.[1]}/cmdline`, 'utf8');
    for (const name of ['cert', 'key', 'ca', 'crl']) {
      expect(command).toContain(`--tls-${name}\0${join(agent.data, 'agent', 'trust', `${name}.pem`)}\0`);
    }
    await user.unary(method.stopTask, { id });
  });
});

describe('the trust commands', () => {
  let lab: TlsLab;
  let data: string;

  beforeAll(async () => {
    lab = await makeTlsLab();
  });
  afterAll(() => lab.dispose());
  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'lanflow-trust-command-'));
  });
  afterEach(async () => {
    await endAgents();
    await rm(data, { recursive: true });
  });

  function run(args: readonly string[], input = ''): { readonly code: number | null; readonly stdout: string; readonly stderr: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [agentProgram, ...args, '--data', data], { input, encoding: 'utf8' });
    return { code: status, stdout, stderr };
  }

  async function joinLab(): Promise<void> {
    const { stdout } = run(['trust', 'request']);
    expect(stdout.split('\n')).toHaveLength(2);
    const { machine, request } = JSON.parse(stdout);
    expect(run(['trust', 'accept'], JSON.stringify(await admit(lab.lab, machine, request)))).toEqual({ code: 0, stdout: '', stderr: '' });
  }

  it('do their work while no agent runs, for the one that starts later', async () => {
    await joinLab();
    const child = launchAgent(data, ['--private']);
    await child.line((line) => line.startsWith('ready '));
    const { socket, token, port } = await agentAddress(data);
    const own = new Rpc({ target: `unix:${socket}`, name: 'The agent', metadata: { 'lanflow-token': token } });
    expect(await machineOf(own)).toMatchObject({ lab: (await lab.lab.facts()).id, port: 0, installed: false });
    expect(port).toBeUndefined();
    await expect(own.unary(method.openPairing, {})).rejects.toMatchObject({ code: Code.FAILED_PRECONDITION });
    own.close();
  });

  it('do their work through the agent that runs, which knows of it at once', async () => {
    const child = launchAgent(data, ['--lan', '--listen', '127.0.0.1', '--port', '0', '--pairing']);
    await child.line((line) => line.startsWith('ready '));
    await joinLab();
    const { port } = await agentAddress(data);
    const rpc = new Rpc({
      target: `dns:127.0.0.1:${port}`,
      name: 'The agent',
      secure: secureDial(new Credentials(lab.user, () => undefined)),
    });
    expect(await machineOf(rpc)).toMatchObject({ lab: (await lab.lab.facts()).id });
    rpc.close();
  });

  it.each([
    ['trust accept', 'no JSON', 1, /^lanflow agent: INVALID_ARGUMENT: What stands on standard input is no JSON: .*\n$/],
    ['trust accept', '[]', 1, /^lanflow agent: INVALID_ARGUMENT: "lab" is missing in the JSON on standard input: it must be a text\n$/],
    ['trust reject', '', 2, /^lanflow agent: "trust reject" is none of "trust request" and "trust accept" \(usage: .*\n$/],
    ['--pin', '', 1, /^lanflow agent: NOT_FOUND: No agent runs on this machine; .*\n$/],
  ])('say in one line what is wrong with %s', (args, input, code, stderr) => {
    expect(run(args.split(' '), input)).toEqual({ code, stdout: '', stderr: expect.stringMatching(stderr) });
  });
});
