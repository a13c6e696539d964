import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Graph, Session } from '../../../main/client/index.ts';
import { GrpcAgentClient } from '../../../main/machines/agent-client.ts';
import { agentAddress, endAgents, launchAgent, startAgent, type TestAgent } from '../../support/agent.ts';
import { processesWith } from '../../support/processes.ts';
import { python, requirePython, withTensorFlow } from '../../support/python.ts';
import { makeComponent } from '../../support/stand-in-component.ts';

const isUp = (agent: TestAgent, ids: readonly string[]) =>
  agent.when(({ byId }) => ids.every((id) => (byId.get(id)?.status.heartbeatAge ?? -1) >= 0));

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.once('error', () => resolve(false));
  });
}

describe('an agent in the foreground', () => {
  let data: string;
  let agent: TestAgent;

  const status = (id: string) => agent.tasks.byId.get(id)?.status;
  const pidOf = (job: string): number =>
    processesWith(data).find(({ command }) => command.includes('task-server/index.js') && command.includes(`--job ${job} `))?.pid ?? 0;

  beforeAll(async () => {
    data = await mkdtemp(join(tmpdir(), 'lanflow-agent-'));
    // By which its processes are found.
    agent = await startAgent(data, { LANFLOW_DATA: data });
  });
  afterAll(async () => {
    await agent.close();
    await rm(data, { recursive: true });
  });

  it('starts tasks, and tells incarnation, memory, steps and heartbeat', async () => {
    const ids = await agent.form('c', { ps: 1, worker: 1 });
    await isUp(agent, ids);
    await agent.when(({ byId }) => (byId.get(ids[0] ?? '')?.status.memory ?? 0) > 0);
    expect(status('c/job:ps/task:0')).toMatchObject({ state: 'running', reason: '', restarts: 0 });
    expect(status('c/job:ps/task:0')?.incarnation).toMatch(/^[0-9a-f]{16}$/);
    await agent.when(({ byId }) => (byId.get('c/job:ps/task:0')?.status.stepsPerSecond ?? -1) === 0);
  });

  it('refuses to start a task twice', async () => {
    await expect(agent.form('c', { ps: 1 })).rejects.toMatchObject({
      codeName: 'ALREADY_EXISTS',
      message: expect.stringContaining('/job:ps/task:0 is running'),
    });
  });

  it('sees a crash within a second', async () => {
    const began = performance.now();
    process.kill(pidOf('worker'), 'SIGKILL');
    // A heartbeat that was under way may fail before the system tells of the end.
    const reason = 'its process has ended (SIGKILL): restart the task to go on';
    await agent.when(({ byId }) => byId.get('c/job:worker/task:0')?.status.reason === reason);
    expect(performance.now() - began).toBeLessThan(1000);
    expect(status('c/job:worker/task:0')?.state).toBe('lost');
  });

  it('restarts in place', async () => {
    const before = agent.tasks.byId.get('c/job:ps/task:0')?.status;
    await agent.client.restartTask('c/job:ps/task:0');
    await agent.when(({ byId }) => {
      const now = byId.get('c/job:ps/task:0')?.status;
      return now?.state === 'running' && now.incarnation !== '' && now.incarnation !== before?.incarnation;
    });
    expect(status('c/job:ps/task:0')).toMatchObject({ address: before?.address, restarts: 1 });
  });

  it('opens a task for a time, and closes it, as the task itself tells, also over a restart', async () => {
    const id = 'c/job:ps/task:0';
    const isOpen = (wanted: boolean) => agent.when(({ byId }) => (byId.get(id)?.status.opening.length === 1) === wanted);
    await agent.client.setOpening(id, { network: '10.0.0.0/24', seconds: 900 });
    await isOpen(true);
    const [opening] = status(id)?.opening ?? [];
    expect(opening?.network).toBe('10.0.0.0/24');
    expect(opening?.remaining).toBeGreaterThan(890_000);
    await agent.client.setOpening(id, undefined);
    await isOpen(false);
    await agent.client.setOpening(id, { network: '10.0.0.0/24', seconds: 900 });
    await isOpen(true);
    const { incarnation, opening: [before] = [] } = status(id) ?? {};
    const restarted = await agent.client.restartTask(id);
    expect(restarted.status?.opening).toHaveLength(1);
    await agent.when(({ byId }) => !['', incarnation].includes(byId.get(id)?.status.incarnation));
    const [after, ...others] = status(id)?.opening ?? [];
    expect([after?.network, others]).toEqual(['10.0.0.0/24', []]);
    expect(after?.remaining).toBeLessThan(before?.remaining ?? 0);
    await agent.client.setOpening(id, undefined);
    await isOpen(false);
    expect((await readdir(join(data, 'agent'))).filter((name) => name.startsWith('opening'))).toEqual([]);
    const wrong = [
      { network: 'lan', seconds: 60 },
      { network: '10.0.0.0/24', seconds: 28_801 },
    ];
    for (const each of wrong) await expect(agent.client.setOpening(id, each)).rejects.toMatchObject({ codeName: 'INVALID_ARGUMENT' });
  });

  it('sees a task that hangs within 3 s, and that it is back', async () => {
    const pid = pidOf('ps');
    const began = performance.now();
    process.kill(pid, 'SIGSTOP');
    await agent.when(({ byId }) => byId.get('c/job:ps/task:0')?.status.state === 'lost');
    expect(performance.now() - began).toBeLessThan(3500);
    expect(status('c/job:ps/task:0')?.reason).toContain('does not answer');
    process.kill(pid, 'SIGCONT');
    await agent.when(({ byId }) => byId.get('c/job:ps/task:0')?.status.state === 'running');
  });

  it('does not blame its tasks for a time in which it stood still itself', async () => {
    const seen: string[] = [];
    const watching = agent.when(({ byId }) => {
      seen.push(byId.get('c/job:ps/task:0')?.status.state ?? '');
      return seen.length > 4 && seen.at(-1) === 'running';
    });
    process.kill(agent.child.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 6000));
    process.kill(agent.child.pid, 'SIGCONT');
    await watching;
    expect(new Set(seen)).toEqual(new Set(['running']));
  });

  it('starts a task again by itself when it is told to', async () => {
    await agent.client.restartTask('c/job:worker/task:0');
    await agent.client.setRestart('c/job:worker/task:0', true);
    await isUp(agent, ['c/job:worker/task:0']);
    const before = status('c/job:worker/task:0');
    process.kill(pidOf('worker'), 'SIGKILL');
    await agent.when(({ byId }) => byId.get('c/job:worker/task:0')?.status.state === 'waiting');
    expect(status('c/job:worker/task:0')?.reason).toMatch(/ended \(SIGKILL\); it is started again in 0.5 s/);
    await agent.when(({ byId }) => byId.get('c/job:worker/task:0')?.status.state === 'running');
    expect(status('c/job:worker/task:0')?.restarts).toBe((before?.restarts ?? 0) + 1);
  });

  it('keeps what its tasks say', async () => {
    const { lines, total } = await agent.client.logs('c/job:worker/task:0', 0);
    expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: total }, (_, i) => i));
    expect(lines.map(({ text }) => text).join('\n')).toMatch(/started process \d+\n[\s\S]*has ended \(SIGKILL\)\n[\s\S]*started process/);
  });

  it('pauses, kills and stops at once', async () => {
    await agent.client.disturbTask('c/job:ps/task:0', 'pause');
    await agent.when(({ byId }) => byId.get('c/job:ps/task:0')?.status.state === 'paused');
    const port = Number(status('c/job:ps/task:0')?.address.split(':')[1]);
    const began = performance.now();
    await agent.client.stopTask('c/job:ps/task:0');
    expect(performance.now() - began).toBeLessThan(2000);
    expect(await answers(port)).toBe(false);
    await agent.when(({ byId }) => !byId.has('c/job:ps/task:0'));
    await expect(agent.client.disturbTask('c/job:ps/task:0', 'kill')).rejects.toMatchObject({ codeName: 'NOT_FOUND' });
    await agent.client.stopTask('c/job:ps/task:0');
  });

  it('says why a task does not come up', async () => {
    const [id = ''] = await agent.form('d', { a: 1 }, { engine: 'no-such-engine' });
    await agent.when(({ byId }) => byId.get(id)?.status.state === 'lost');
    expect(status(id)?.reason).toMatch(/ended at once \(exit code 2\): .*no-such-engine/);
    await agent.client.stopTask(id);
  });

  it.each([
    [{ spec: '{' }, 'no JSON'],
    [{ cluster: '../x' }, 'id of a cluster'],
    [{ job: '--flag' }, 'name of a job'],
  ])('refuses the setup %j', async (wrong, message) => {
    const setup = { cluster: 'e', job: 'a', index: 0, spec: '{"a":["127.0.0.1:1"]}', ...wrong };
    await expect(agent.client.startTask(setup)).rejects.toMatchObject({
      codeName: 'INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    });
  });

  it('serves nobody without the token, and survives garbage', async () => {
    const { socket } = await agentAddress(data);
    const stranger = new GrpcAgentClient({ target: `unix:${socket}`, name: 'The agent', metadata: { 'lanflow-token': 'guess' } });
    const signal = new AbortController().signal;
    for (const call of [stranger.stopTask('x'), stranger.events({ keep: true, logFrom: {}, onEvent: () => undefined, signal })]) {
      await expect(call).rejects.toMatchObject({ codeName: 'PERMISSION_DENIED' });
    }
    stranger.close();
    const garbage = connect(socket);
    garbage.on('error', () => undefined);
    garbage.resume();
    garbage.end(Buffer.alloc(100_000, 7));
    await new Promise((resolve) => garbage.once('close', resolve));
    expect((await agent.client.reservePorts([0])).length).toBe(1);
  });

  it('is one only, and says so in one line', async () => {
    const second = launchAgent(data);
    expect(await second.ended).toBe(1);
    expect(second.stderr()).toMatch(/^lanflow agent: ALREADY_EXISTS: An agent runs on this machine already, with process id \d+; .*\n$/);
  });

  it('ends its tasks with itself, and leaves nothing', async () => {
    const port = Number(status('c/job:worker/task:0')?.address.split(':')[1]);
    agent.child.kill('SIGTERM');
    expect(await agent.child.ended).toBe(0);
    expect([await answers(port), processesWith(data), await readdir(join(data, 'agent'))]).toEqual([false, [], []]);
  });
});

describe.skipIf(python === undefined)(withTensorFlow('an agent on a machine with TensorFlow'), () => {
  it('tells where it is, and its tasks use that', async () => {
    const data = await mkdtemp(join(tmpdir(), 'lanflow-agent-'));
    const environment = dirname(dirname(requirePython()));
    await writeFile(join(data, 'environments.txt'), `${environment}\n`);
    const agent = await startAgent(data, { LANFLOW_PYTHON: '' });
    await expect.poll(() => agent.engines().map(({ name, problem }) => `${name}${problem}`)).toEqual(['bundled', 'tensorflow']);
    expect(agent.engines()[1]).toMatchObject({
      version: expect.stringMatching(/^2\./),
      title: expect.stringContaining('venv'),
      path: environment,
    });
    const [id = ''] = await agent.form('c', { a: 1 }, { engine: 'tensorflow' });
    await agent.when(({ byId }) => byId.get(id)?.status.state === 'running');
    const { lines } = await agent.client.logs(id, 0);
    expect(lines.map(({ text }) => text).join('\n')).toContain(
      `genuine TensorFlow server: libtensorflow ${agent.engines()[1]?.version} at ${environment}`,
    );
    await agent.close();
    await rm(data, { recursive: true });
  });
});

describe('an agent on a machine with a card and the component for it', () => {
  it('tells of the component, with which its tasks compute on the card', async () => {
    const data = await mkdtemp(join(tmpdir(), 'lanflow-agent-'));
    const components = join(data, 'install', 'components');
    await makeComponent(join(components, '0123456789abcdef'));
    await symlink('0123456789abcdef', join(components, 'current'));
    const card = '0, Stand-in card, 00000000:01:00.0, 8.9, 8192';
    await writeFile(join(data, 'nvidia-smi'), `#!/bin/sh\necho '${card}'\n`, { mode: 0o755 });
    const agent = await startAgent(data, { PATH: `${data}:${process.env['PATH']}` });
    await expect.poll(() => agent.engines()[0]?.title).toBe('tfjs-node-gpu 4.22.0');
    const [id = ''] = await agent.form('c', { a: 1 });
    await agent.when(({ byId }) => byId.get(id)?.status.state === 'running');
    const session = new Session(`grpc://${agent.tasks.byId.get(id)?.status.address}`, { graph: new Graph() });
    const devices = await session.listDevices();
    expect(devices.map(({ type, description }) => `${type} ${description}`)).toContainEqual(expect.stringMatching(/^GPU .*Stand-in card/));
    await session.close();
    await agent.close();
    await rm(data, { recursive: true });
  });
});

describe('an agent that cannot start', () => {
  afterEach(endAgents);

  it.each([
    [
      'its folder cannot be made',
      ['--data', '/dev/null/x'],
      1,
      /^lanflow agent: FAILED_PRECONDITION: \/dev\/null\/x\/agent cannot be made/,
    ],
    ['it is given a flag that is none', ['--no-such-flag'], 2, /^lanflow agent: Unknown option '--no-such-flag'/],
  ])('says in one line that %s', async (_, flags, code, message) => {
    const data = await mkdtemp(join(tmpdir(), 'lanflow-agent-'));
    const child = launchAgent(data, flags);
    expect(await child.ended).toBe(code);
    expect(child.stderr()).toMatch(message);
    expect(child.stderr().trimEnd()).not.toContain('\n');
    await rm(data, { recursive: true });
  });

  it('its tasks says that their program is missing', async () => {
    const data = await mkdtemp(join(tmpdir(), 'lanflow-agent-'));
    const agent = await startAgent(data, { LANFLOW_TASK_SERVER: '/nowhere/index.js' });
    const [id = ''] = await agent.form('c', { a: 1 });
    await agent.when(({ byId }) => byId.get(id)?.status.state === 'lost');
    expect(agent.tasks.byId.get(id)?.status).toMatchObject({
      code: 5,
      reason: expect.stringContaining('The task program is not at /nowhere/index.js'),
    });
    await agent.close();
    await rm(data, { recursive: true });
  });

  it('replaces what a killed one has left', async () => {
    const data = await mkdtemp(join(tmpdir(), 'lanflow-agent-'));
    const killed = await startAgent(data);
    killed.child.kill('SIGKILL');
    await killed.close();
    await writeFile(join(data, 'agent', 'agent.json.lock'), String(killed.child.pid));
    const next = await startAgent(data);
    expect(await next.client.reservePorts([0])).toHaveLength(1);
    await next.close();
    await rm(data, { recursive: true });
  });
});
