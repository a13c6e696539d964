import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Events, RunInfo } from '#proto/ipc/contract.ts';
import { type CliResult, runCli } from '../../support/cli.ts';
import { CoreClient } from './core-client.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/programs/${name}`, import.meta.url));
const everything = { series: [], fromStep: 0, toStep: Number.MAX_SAFE_INTEGER, points: 1000 };
const isOver = ({ run }: { run: RunInfo }): boolean => run.endedAt > 0;

interface CliRun {
  readonly result: Promise<CliResult>;
  kill(signal: NodeJS.Signals): void;
}

describe('a run that another process records', () => {
  let folder: string;
  let core: CoreClient;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lanflow-core-'));
    core = new CoreClient(folder);
    await core.call('runs.list', null);
  });
  afterEach(async () => {
    await core.leave();
    await rm(folder, { recursive: true, force: true });
  });

  const startCli = (...args: string[]): CliRun => {
    let kill: CliRun['kill'] = () => undefined;
    const result = runCli(args, {
      cwd: folder,
      dataFolder: folder,
      onStart: (child) => {
        kill = child.kill;
      },
    });
    return { result, kill: (signal) => kill(signal) };
  };

  it('shows while it goes on, sample by sample and line by line, and cannot be changed meanwhile', async () => {
    const heard = { values: [] as number[], lines: [] as number[], states: new Set<string>() };
    core.on('runs.samples', ({ series }) => heard.values.push(...series.flatMap(({ values }) => [...values])));
    core.on('runs.logged', ({ lines }) => heard.lines.push(...lines.map(({ number }) => number)));
    core.on('runs.changed', ({ run }) => heard.states.add(run.state));
    const [sampled, over] = [core.when('runs.samples', () => true), core.when('runs.changed', isOver)];
    const cli = startCli('demo');
    const { run: id } = await sampled;
    expect(await core.call('runs.get', { run: id })).toMatchObject({ state: 'running', program: 'ps-workers' });
    const calls = [
      () => core.call('runs.rename', { run: id, title: 'Mine', note: '' }),
      () => core.call('runs.delete', { run: id }),
      () => core.call('runs.stop', { run: id }),
      () => core.call('runs.pause', { run: id }),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({
        codeName: 'FAILED_PRECONDITION',
        message: expect.stringMatching(/recorded by another Lanflow \(process \d+ on /),
      });
    }
    const { run } = await over;
    expect(run).toMatchObject({ id, state: 'finished', traces: 1, series: [{ name: 'var', points: 6, last: 10 }] });
    expect(run.steps).toBeGreaterThan(20);
    expect([...heard.states]).toEqual(expect.arrayContaining(['running', 'finished']));
    await expect.poll(() => heard.values.at(-1)).toBe(10);
    const [series] = await core.call('runs.series', { run: id, ...everything });
    expect([...(series?.values ?? [])]).toHaveLength(6);
    // What was there when the run was found is not told again.
    expect([...(series?.values ?? [])].slice(-heard.values.length)).toEqual(heard.values);
    const { lines, total } = await core.call('runs.logs', { run: id, from: 0 });
    expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: total }, (_, i) => i));
    expect(heard.lines).toEqual(Array.from({ length: total - (heard.lines[0] ?? 0) }, (_, i) => (heard.lines[0] ?? 0) + i));
    expect((await cli.result).code).toBe(0);
    expect(await core.call('runs.rename', { run: id, title: 'Mine', note: '' })).toMatchObject({ title: 'Mine' });
    await core.call('runs.delete', { run: id });
  });

  it('is cut off when its process is killed', async () => {
    const running = core.when('runs.changed', ({ run }) => run.state === 'running');
    const cli = startCli('run', fixture('endless.js'));
    const { run } = await running;
    const over = core.when('runs.changed', isOver);
    cli.kill('SIGKILL');
    await cli.result;
    expect((await over).run).toMatchObject({ id: run.id, state: 'failed', errorCode: 'ABORTED', program: fixture('endless.js') });
    await core.call('runs.delete', { run: run.id });
  });

  it('is stopped, failed or not there at all, as its command line was', async () => {
    const over = core.when('runs.changed', isOver);
    expect((await startCli('run', fixture('broken.ts')).result).code).toBe(1);
    expect((await over).run).toMatchObject({ state: 'failed', errorCode: 'INVALID_ARGUMENT' });
    await startCli('run', 'no-such-program').result;
    expect((await startCli('run', fixture('double.ts'), '--no-record').result).code).toBe(0);
    expect(await readdir(join(folder, 'runs'))).toHaveLength(1);
  });

  it('is seen by another core, with its changes and its end', async () => {
    const other = new CoreClient(folder);
    try {
      await other.call('runs.list', null);
      const found = other.when('runs.changed', ({ run }) => run.state === 'running');
      const { id } = await core.call('runs.start', { program: fixture('counter.ts'), plan: { interval: 20, watch: ['count'] } });
      await found;
      const paused = other.when('runs.changed', ({ run }) => run.state === 'paused');
      await core.call('runs.pause', { run: id });
      await paused;
      await expect(other.call('runs.stop', { run: id })).rejects.toMatchObject({ codeName: 'FAILED_PRECONDITION' });
      const over = other.when('runs.changed', isOver);
      const stopped = await core.call('runs.stop', { run: id });
      const { run } = await over;
      expect(run).toMatchObject({ id, state: 'stopped', steps: stopped.steps, logLines: stopped.logLines });
      await expect.poll(async () => (await other.call('runs.get', { run: id })).series).toEqual(stopped.series);
      const renamed = other.when('runs.changed', ({ run: each }) => each.title === 'Mine');
      await core.call('runs.rename', { run: id, title: 'Mine', note: 'n' });
      await renamed;
      const removed = new Promise<Events['runs.removed']>((resolve) => other.on('runs.removed', resolve));
      await core.call('runs.delete', { run: id });
      expect(await removed).toEqual({ run: id });
    } finally {
      await other.leave();
    }
  });

  it('is a matter of its own: one that cannot be recorded goes on', async () => {
    const file = join(folder, 'no-folder');
    await writeFile(file, '');
    const { code, stderr, stdout } = await runCli(['run', fixture('double.ts')], { dataFolder: file });
    expect(stderr).toMatch(/This run is not recorded: .*no-folder/);
    expect(stdout).toContain('42');
    expect(code).toBe(0);
  });
});
