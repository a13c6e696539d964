import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunInfo } from '#proto/ipc/contract.ts';
import { processesWith } from '../../support/processes.ts';
import { freePorts } from '../../support/task-ports.ts';
import { CoreClient } from './core-client.ts';

const PS = '/job:ps/replica:0/task:0';
const endless = fileURLToPath(new URL('../../fixtures/programs/endless.js', import.meta.url));

describe('the cluster that is formed for a run', () => {
  let data: string;
  const cores: CoreClient[] = [];

  const open = (): CoreClient => {
    const core = new CoreClient(data);
    cores.push(core);
    return core;
  };
  const processes = (program: string) => processesWith(data).filter(({ command }) => command.includes(program));
  const tasks = () => processes('task-server/index.js');
  const whenListening = (core: CoreClient) =>
    core.when('runs.logged', ({ lines }) => lines.some(({ text, kind }) => kind === 'progress' && text.includes('listens at')));
  const isOver = ({ run }: { run: RunInfo }): boolean => run.endedAt > 0;

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
  });
  afterEach(async () => {
    await Promise.all(cores.splice(0).map((core) => core.leave()));
    await rm(data, { recursive: true });
  });

  it('belongs to the agent, speaks in the log of the run, has the ports of the settings, and ends with the run', async () => {
    const core = open();
    const [free = 0] = await freePorts(1);
    const from = Math.min(free, 65_000);
    await core.call('settings.set', { ports: { from, to: from + 100 } });
    const listening = whenListening(core);
    const over = core.when('runs.changed', isOver);
    const { id } = await core.call('runs.start', { program: 'ps-workers' });
    await listening;
    // A child that has not become another program yet has the agent's name too.
    const agents = processes('task-server/agent.js').map(({ pid }) => pid);
    const [parent, ...others] = new Set(tasks().map((task) => task.parent));
    expect(agents).toContain(parent);
    expect(others).toEqual([]);
    const { run } = await over;
    expect(run).toMatchObject({ state: 'finished', problems: [] });
    expect(run.clusterId).toBeUndefined();
    expect(tasks()).toEqual([]);
    expect(await core.call('clusters.list', null)).toEqual([]);
    const { lines } = await core.call('runs.logs', { run: id, from: 0 });
    const ports = lines.flatMap(({ text, kind }) =>
      kind === 'progress' ? (/listens at grpc:\/\/127\.0\.0\.1:(\d+)$/.exec(text)?.[1] ?? []) : [],
    );
    expect(ports.filter((port) => from <= Number(port) && Number(port) <= from + 100)).toHaveLength(3);
    expect(lines.some(({ source, kind, text }) => source === PS && kind === 'task' && text.startsWith('agent: started process'))).toBe(
      true,
    );
  });

  it('does not come up where too few ports are free: the run fails, and says so', async () => {
    const core = open();
    const [port = 0] = await freePorts(1);
    await core.call('settings.set', { ports: { from: port, to: port } });
    const over = core.when('runs.changed', isOver);
    await core.call('runs.start', { program: 'ps-workers' });
    const { run } = await over;
    expect(run).toMatchObject({ state: 'failed', errorCode: 'RESOURCE_EXHAUSTED', status: expect.stringContaining('widen the range') });
    expect(tasks()).toEqual([]);
  });

  it.each([0, 150, 400])('leaves nothing when the run is stopped %i ms after its start', async (milliseconds) => {
    const core = open();
    const { id } = await core.call('runs.start', { program: 'ps-workers' });
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    expect(await core.call('runs.stop', { run: id })).toMatchObject({ state: 'stopped' });
    expect(tasks()).toEqual([]);
  });

  it('is ended by another core when its own was killed and the agent goes on', async () => {
    const owner = open();
    const other = open();
    await other.call('machines.list', null);
    const listening = whenListening(owner);
    await owner.call('runs.start', { program: endless });
    await listening;
    expect(tasks().length).toBeGreaterThan(0);
    cores.splice(cores.indexOf(owner), 1);
    await owner.kill();
    await expect.poll(tasks, { timeout: 10_000 }).toEqual([]);
    expect((await other.call('machines.list', null))[0]).toMatchObject({ state: 'online', isThis: true });
  });
});
