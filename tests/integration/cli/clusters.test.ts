import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterInfo, MachineInfo } from '#proto/ipc/contract.ts';
import { endAgents, launchAgent } from '../../support/agent.ts';
import { runCli } from '../../support/cli.ts';
import { processesWith } from '../../support/processes.ts';
import { startChild, type TaskChild } from '../../support/task-child.ts';
import { freePorts } from '../../support/task-ports.ts';
import { CoreClient } from '../core/core-client.ts';

const cli = fileURLToPath(new URL('../../../dist/cli/index.js', import.meta.url));

describe('clusters on the command line', () => {
  let data: string;

  beforeEach(async () => {
    data = await mkdtemp(join(tmpdir(), 'lanflow-cli-'));
    await writeFile(join(data, 'cluster.json'), '{"ps": ["localhost:0"], "worker": ["localhost:0", "localhost:0"]}');
  });
  afterEach(async () => {
    await endAgents();
    await rm(data, { recursive: true });
  });

  const launch = (...args: string[]): TaskChild =>
    startChild({ program: process.execPath, args: [cli, ...args], env: { LANFLOW_DATA: data } });
  const tasks = () => processesWith(data).filter(({ command }) => command.includes('task-server/index.js'));

  const run = (...args: string[]) => runCli(args, { dataFolder: data });
  const importLab = () => run('cluster', 'import', join(data, 'cluster.json'), '--title', 'Lab');

  it('are imported, listed and exported', async () => {
    const { code, stdout, stderr } = await importLab();
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringMatching(/^[0-9a-f]{12}\n$/)]);
    const id = stdout.trim();
    const listed: ClusterInfo[] = JSON.parse((await run('cluster', 'status', '--json')).stdout);
    expect(listed.map(({ title, state }) => [title, state])).toEqual([['Lab', 'stopped']]);
    expect(JSON.parse((await run('cluster', 'export', id)).stdout)).toEqual({
      ps: ['127.0.0.1:0'],
      worker: ['127.0.0.1:0', '127.0.0.1:0'],
    });
    const config = await run('cluster', 'export', 'Lab', '--form', 'tf-config', '--task', 'worker:1');
    expect(JSON.parse(config.stdout).task).toEqual({ type: 'worker', index: 1 });
    const unknown = await run('cluster', 'up', 'Other');
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining(`NOT_FOUND: There is no cluster 'Other'; clusters: ${id} (Lab)`),
    ]);
    const machines: MachineInfo[] = JSON.parse((await run('machines', '--json')).stdout);
    expect(machines).toMatchObject([{ isThis: true, state: 'online', tasks: 0 }]);
    expect(processesWith(data)).toEqual([]);
  });

  it('have their ports in the range of the settings, as demo and run have', async () => {
    const [from = 0] = await freePorts(1);
    const range = { from: Math.min(from, 65_000), to: Math.min(from, 65_000) + 100 };
    const content = { language: 'system', theme: 'system', ports: range };
    await writeFile(join(data, 'settings.json'), JSON.stringify({ version: 1, content }));
    await importLab();
    const up = launch('cluster', 'up', 'Lab');
    const line = await up.line((text) => text.startsWith('ready grpc://'));
    const { stderr, code } = await run('run', 'ps-workers', '--no-record');
    up.kill('SIGTERM');
    await up.ended;
    const listening = [...stderr.matchAll(/listens at grpc:\/\/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port));
    const ports = [Number(/:(\d+) /.exec(line)?.[1]), ...listening];
    expect([code, ports.length]).toEqual([0, 4]);
    expect(ports.filter((port) => port < range.from || port > range.to)).toEqual([]);
    expect(new Set(ports).size).toBe(4);
  });

  it('stay up in the foreground where no agent runs, until they are taken down from elsewhere', async () => {
    await importLab();
    const up = launch('cluster', 'up', 'Lab');
    const line = await up.line((text) => text.startsWith('ready grpc://'));
    expect(line).toMatch(/^ready grpc:\/\/127\.0\.0\.1:\d+ \/job:ps\/replica:0\/task:0$/);
    expect((await run('cluster', 'status', 'Lab')).stdout).toMatch(/\/job:worker\/replica:0\/task:1 +running/);
    const opened = await run('cluster', 'open', 'Lab', '--to', '10.77.0.9/24', '--for', '2h');
    expect([opened.code, opened.stdout]).toEqual([
      0,
      expect.stringMatching(/^open to 10\.77\.0\.0\/24 in plain text for another 2 h 0 min:\n/),
    ]);
    expect(opened.stdout).toMatch(/\n {2}grpc:\/\/\S+:\d+ \/job:worker\/replica:0\/task:1\n/);
    expect((await run('cluster', 'status', 'Lab')).stdout).toContain('open to 10.77.0.0/24 in plain text for another');
    expect((await run('cluster', 'close', 'Lab')).stdout).toBe("Cluster 'Lab' is closed\n");
    const down = await run('cluster', 'down', 'Lab');
    expect([down.code, down.stdout]).toEqual([0, '3 tasks stopped\n']);
    expect(await up.ended).toBe(0);
    expect(up.stderr()).toContain("Cluster 'Lab' was stopped");
    await expect.poll(() => processesWith(data)).toEqual([]);
  });

  it('end with Ctrl-C', async () => {
    await importLab();
    const up = launch('cluster', 'up', 'Lab');
    await up.line((text) => text.startsWith('ready '));
    up.kill('SIGINT');
    await up.ended;
    expect(processesWith(data)).toEqual([]);
  });

  it('are those of the app while it is open, and are left to its agent', async () => {
    const core = new CoreClient(data);
    await core.call('machines.list', null);
    const isThere = core.when('clusters.changed', ({ clusters }) => clusters[0]?.title === 'Lab');
    await importLab();
    await isThere;
    const runs = core.when('clusters.changed', ({ clusters }) => clusters[0]?.state === 'running');
    const up = await run('cluster', 'up', 'Lab', '--json');
    expect([up.code, JSON.parse(up.stdout).state]).toEqual([0, 'running']);
    expect(up.stderr).toContain('end with the app');
    await runs;
    expect(tasks()).toHaveLength(3);
    const again = await run('cluster', 'up', 'Lab');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("FAILED_PRECONDITION: Cluster 'Lab' is running already")]);
    await core.leave();
    expect(processesWith(data)).toEqual([]);
  });

  it('outlive all commands under an agent in the foreground', async () => {
    await importLab();
    const agent = launchAgent(data, [], { LANFLOW_DATA: data });
    await agent.line((text) => text.startsWith('ready '));
    expect((await run('cluster', 'up', 'Lab')).code).toBe(0);
    expect(tasks()).toHaveLength(3);
    expect((await run('cluster', 'down', 'Lab')).stdout).toBe('3 tasks stopped\n');
    expect((await run('cluster', 'down', 'Lab')).stdout).toBe("Cluster 'Lab' is stopped already\n");
    agent.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
  });
});
