import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Graph, Session } from '../../../main/client/index.ts';
import { endAgents, startAgent, type TestAgent } from '../../support/agent.ts';
import { processesWith } from '../../support/processes.ts';

const ID = 'c/job:worker/task:0';

describe('tasks that outlive their agent', () => {
  let data: string;
  let agent: TestAgent;

  const start = async (): Promise<void> => {
    agent = await startAgent(data, { LANFLOW_DATA: data }, ['--keep-tasks']);
  };
  /** One that comes after another. */
  const startNext = async (): Promise<void> => {
    await start();
    await agent.when(({ byId }) => byId.has(ID));
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    if (signal === 'SIGKILL') agent.child.kill(signal);
    await agent.close();
  };
  const tasks = () => processesWith(data).filter(({ command }) => command.includes('task-server/index.js'));
  const pid = () => tasks()[0]?.pid ?? 0;
  const status = () => agent.tasks.byId.get(ID)?.status;
  const answers = () => agent.when(({ byId }) => (byId.get(ID)?.status.heartbeatAge ?? -1) >= 0);
  const lines = async () => (await agent.client.logs(ID, 0)).lines;
  const files = async (suffix: string) => {
    const folder = join(data, 'agent', 'tasks');
    return (await readdir(folder)).filter((name) => name.endsWith(suffix)).map((name) => join(folder, name));
  };
  const changeRecord = async (change: (text: string) => string): Promise<void> => {
    for (const path of await files('.json')) await writeFile(path, change(await readFile(path, 'utf8')));
  };

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'lanflow-kept-'));
    await start();
    await agent.form('c', { worker: 1 });
    await answers();
  });
  afterEach(async () => {
    await agent.close();
    await endAgents();
    for (const task of tasks()) process.kill(task.pid, 'SIGKILL');
    await expect.poll(() => processesWith(data)).toEqual([]);
    await rm(data, { recursive: true });
  });

  it('go on when it is killed, and the next one has them as they were', async () => {
    const before = { ...status(), lines: await lines() };
    expect(getPriority(pid())).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL);
    const graph = new Graph();
    const counter = graph.variable('counter', 0);
    const up = counter.assignAdd(1);
    const session = new Session(`grpc://${before.address}`, { graph });
    await session.run(counter.initializer);
    await session.run(up);
    await end('SIGKILL');
    await session.run(up);
    await startNext();
    expect(status()).toMatchObject({ state: 'running', startedAt: before.startedAt, address: before.address, restarts: 0 });
    await answers();
    expect(status()?.incarnation).toBe(before.incarnation);
    expect((await session.run(up)).data[0]).toBe(3);
    await session.close();
    const after = await lines();
    expect(after.slice(0, before.lines.length).map(({ number, text }) => ({ number, text }))).toEqual(
      before.lines.map(({ number, text }) => ({ number, text })),
    );
    expect(after.map(({ number }) => number)).toEqual(after.map((_, i) => i));
    await agent.client.stopTask(ID);
    expect([tasks(), await files('')]).toEqual([[], []]);
  });

  it('go on when it is told to end, at once, and end with it upon Ctrl-C', async () => {
    const began = performance.now();
    await end('SIGTERM');
    expect(performance.now() - began).toBeLessThan(1500);
    expect(tasks()).toHaveLength(1);
    await startNext();
    agent.child.kill('SIGINT');
    expect(await agent.child.ended).toBe(0);
    expect([processesWith(data), await readdir(join(data, 'agent'))]).toEqual([[], []]);
  });

  it('are watched and changed by the next one as by the first', async () => {
    await end('SIGKILL');
    await startNext();
    await answers();
    await agent.client.disturbTask(ID, 'pause');
    await end('SIGKILL');
    await startNext();
    expect(status()?.state).toBe('paused');
    await agent.client.disturbTask(ID, 'resume');
    await agent.when(({ byId }) => (byId.get(ID)?.status.memory ?? 0) > 0);
    const { startedAt, incarnation } = status() ?? {};
    const began = performance.now();
    await agent.client.disturbTask(ID, 'kill');
    await agent.when(({ byId }) => byId.get(ID)?.status.reason === 'its process has ended (nobody saw how): restart the task to go on');
    expect(performance.now() - began).toBeLessThan(1000);
    await agent.client.restartTask(ID);
    await agent.when(({ byId }) => {
      const now = byId.get(ID)?.status;
      return now?.state === 'running' && now.startedAt !== startedAt && now.incarnation !== '' && now.incarnation !== incarnation;
    });
    expect(status()?.restarts).toBe(1);
    expect((await lines()).map(({ text }) => text).join('\n')).toMatch(
      /started process \d+\n[\s\S]*has ended \(nobody saw how\)\nagent: started process/,
    );
  });

  it('that end meanwhile are lost with a reason, which the agent after that tells too', async () => {
    await end('SIGKILL');
    process.kill(pid(), 'SIGKILL');
    const reason = 'its process has ended while no agent watched it: restart the task to go on';
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await startNext();
      expect(status()).toMatchObject({ state: 'lost', code: 14, reason });
      await end(signal);
    }
    await startNext();
    await agent.client.restartTask(ID);
    await answers();
    const text = (await lines()).map((line) => line.text).join('\n');
    expect(text.match(/agent: its process has ended while no agent watched it/g)).toHaveLength(1);
  });

  it('that end meanwhile are started again where that was asked for, as open as they were, also after the machine was started anew', async () => {
    await agent.client.setRestart(ID, true);
    await agent.client.setOpening(ID, { network: '10.0.0.0/24', seconds: 900 });
    await end('SIGKILL');
    process.kill(pid(), 'SIGKILL');
    await changeRecord((text) => text.replace(/"boot": *"[^"]*"/, '"boot": "another"'));
    await startNext();
    expect(status()).toMatchObject({ state: 'waiting', reason: 'its machine was started anew; it is started again in 0.5 s' });
    expect(status()?.opening).toHaveLength(1);
    await answers();
    expect(status()).toMatchObject({ state: 'running', restarts: 1, opening: [{ network: '10.0.0.0/24' }] });
  });

  it('are never taken for another process that has their id by now', async () => {
    await end('SIGKILL');
    const other = pid();
    await changeRecord((text) => text.replace(/"began": *"[^"]*"/, '"began": "1"'));
    await startNext();
    expect(status()?.state).toBe('lost');
    await agent.client.stopTask(ID);
    expect(pid()).toBe(other);
  });

  it('are left alone where their record is damaged, which the log says, and the agent starts all the same', async () => {
    await end('SIGKILL');
    await changeRecord((text) => text.slice(0, text.length / 2));
    await start();
    await expect.poll(() => agent.child.stderr()).toMatch(/WARNING a task is left alone: .*\.json is damaged/);
    expect(await agent.client.reservePorts([0])).toHaveLength(1);
  });
});
